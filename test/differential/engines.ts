/** The two engines side by side: ours in this process, the other one over HTTP; and their answers in one form. */
import http from 'node:http';
import { createDynamoDb } from '../../infra/local/dynamodb/engine.ts';
import type { Command } from './commands.ts';

/** What a caller can tell apart. */
export interface Answer {
  readonly status: number;
  /** The exception's name without its namespace; messages are free. */
  readonly exception?: string;
  readonly message?: string;
  readonly output: Readonly<Record<string, unknown>>;
}

export interface Engine {
  readonly ask: (command: Command) => Promise<Answer>;
  readonly close: () => void;
}

const TARGET = 'DynamoDB_20120810.';

export function openOurs(): Engine {
  const engine = createDynamoDb();
  return {
    async ask({ operation, input }) {
      const { status, body } = engine.respond(TARGET + operation, JSON.stringify(input));
      return readAnswer(status, body);
    },
    close: () => engine.close(),
  };
}

export function openOther(url: string): Engine {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  const headers = {
    'content-type': 'application/x-amz-json-1.0',
    authorization:
      'AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0',
    'x-amz-date': '20260101T000000Z',
  };
  return {
    ask: ({ operation, input }) =>
      new Promise((resolve, reject) => {
        const options = { method: 'POST', agent, headers: { ...headers, 'x-amz-target': TARGET + operation } };
        const request = http.request(url, options, (response) => {
          let body = '';
          response.setEncoding('utf8').on('data', (text: string) => (body += text));
          response.on('end', () => resolve(readAnswer(response.statusCode ?? 0, body)));
        });
        request.on('error', reject);
        request.end(JSON.stringify(input));
      }),
    close: () => agent.destroy(),
  };
}

function readAnswer(status: number, body: string): Answer {
  const parsed = JSON.parse(body) as Record<string, unknown>;
  if (status === 200) return { status, output: normalize(parsed) as Answer['output'] };
  const { __type: type, message, Message: other, Item } = parsed;
  const exception = String(type).replace(/^.*#/, '');
  const output = Item === undefined ? {} : { Item: normalize(Item) };
  return { status, exception, message: String(message ?? other), output };
}

const SETS: ReadonlySet<string> = new Set(['SS', 'NS', 'BS']);
/** Lists whose order DynamoDB leaves open. */
const UNORDERED: ReadonlySet<string> = new Set(['Responses']);

/** One form for equal answers: names, sets and the items of a batch in order, empty lists of leftovers left out. */
function normalize(value: unknown, name = ''): unknown {
  if (Array.isArray(value)) {
    const elements = value.map((element) => normalize(element));
    return SETS.has(name) || UNORDERED.has(name) ? elements.sort((a, b) => (text(a) < text(b) ? -1 : 1)) : elements;
  }
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value)
    .filter(([key, inner]) => !(key.startsWith('Unprocessed') && text(inner) === '{}'))
    .map(([key, inner]) => [key, normalize(inner, name === 'Responses' ? 'Responses' : key)] as const);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

const text = (value: unknown) => JSON.stringify(value);
