/** The one port of the runtime: reads whole requests, writes whole answers, and survives clients that go away. */
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { type HttpAnswer, type HttpRequest, refuse } from './http-event.ts';
import { REQUEST_MAX_BYTES } from './limits.ts';

export interface ServerRequest extends HttpRequest {
  /** Calls back when the client is gone before its answer. */
  readonly onGone: (listener: () => void) => void;
  /** Cuts the connection; whatever is answered then goes nowhere. */
  readonly hangUp: () => void;
}

export type RequestHandler = (request: ServerRequest) => Promise<HttpAnswer>;

export interface HttpServer {
  readonly url: string;
  /** What answers requests; until it is set they get a 503. */
  readonly setHandler: (handler: RequestHandler) => void;
  /** Closes the port and every connection. */
  readonly close: () => Promise<void>;
}

/** Listens on `port` (0: any free one). `onError` hears of mistakes in the handler, which answer 500. */
export async function openServer(host: string, port: number, onError: (line: string) => void): Promise<HttpServer> {
  let handler: RequestHandler = () => Promise.resolve(refuse(503, 'The runtime is starting.'));
  const server = http.createServer((request, response) => {
    void serve(request, response, (whole) => handler(whole), onError);
  });
  // Warm environments keep their connections for as long as they idle; a closed one would cost them a retry.
  server.keepAliveTimeout = 0;
  server.listen(port, host);
  await once(server, 'listening');
  const { port: boundPort } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${boundPort}`,
    setHandler(next) {
      handler = next;
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

async function serve(
  request: http.IncomingMessage,
  response: http.ServerResponse,
  handler: RequestHandler,
  onError: (line: string) => void,
): Promise<void> {
  const body = await readBody(request);
  if (body === 'gone') return;
  let answer: HttpAnswer;
  if (body === 'too large') {
    answer = { ...refuse(413, 'Request Entity Too Large'), headers: { connection: 'close' } };
  } else {
    try {
      answer = await handler({
        method: request.method ?? 'GET',
        url: request.url ?? '/',
        headers: request.headers,
        body,
        sourceIp: request.socket.remoteAddress ?? '',
        onGone: (listener) => void response.once('close', listener),
        hangUp: () => void response.destroy(),
      });
    } catch (error) {
      onError(error instanceof Error ? (error.stack ?? error.message) : String(error));
      answer = refuse(500, `The local runtime failed: ${String(error)}`);
    }
  }
  if (response.destroyed) return;
  response.writeHead(answer.status, { ...answer.headers, 'content-length': Buffer.byteLength(answer.body) });
  response.end(answer.body);
}

function readBody(request: http.IncomingMessage): Promise<Buffer | 'gone' | 'too large'> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let sizeBytes = 0;
    request.on('data', (chunk: Buffer) => {
      sizeBytes += chunk.length;
      if (sizeBytes > REQUEST_MAX_BYTES) {
        chunks.length = 0;
        resolve('too large');
      } else {
        chunks.push(chunk);
      }
    });
    request.on('end', () =>
      resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)),
    );
    // A client that goes away in mid-body must not end the process.
    request.on('error', () => resolve('gone'));
    request.on('close', () => resolve('gone'));
  });
}
