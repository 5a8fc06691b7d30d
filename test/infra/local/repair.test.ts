import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { parseRepair, repairScope } from '../../../infra/local/repair.ts';

let server: Server | undefined;
afterEach(() => {
  server?.close();
  server = undefined;
});

/** Answers one after the other, and keeps what was asked. */
async function serve(answers: readonly (readonly [status: number, body: object])[]) {
  const asked: string[] = [];
  server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => {
      const [status, body] = answers[asked.length] ?? [500, {}];
      asked.push(`${request.method} ${request.url} ${text}`);
      response.writeHead(status).end(JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

describe('npm run repair', () => {
  it('asks page after page and adds up what was found', async () => {
    const { url, asked } = await serve([
      [200, { slots: 250, headsChanged: 1, cursor: 'next' }],
      [200, { slots: 3, headsChanged: 0 }],
    ]);
    expect(await repairScope(url, 'maya')).toEqual({ slots: 253, headsChanged: 1 });
    const route = 'POST /v1/scopes/maya/claims/repair';
    expect(asked).toEqual([`${route} {}`, `${route} {"cursor":"next"}`]);
  });

  it('ends with the words of the API when it refuses', async () => {
    const { url } = await serve([[404, { error: { code: 'unknown_scope', message: 'scope maya holds nothing yet' } }]]);
    await expect(repairScope(url, 'maya')).rejects.toThrow('scope maya holds nothing yet');
  });

  it('names the address where nobody answers, and why', async () => {
    await expect(repairScope('http://127.0.0.1:1', 'maya')).rejects.toThrow(
      /^nobody answers at http:\/\/127\.0\.0\.1:1: .+\. Is the stack up\? npm run serve starts one\.$/,
    );
  });

  it.each([
    [['--scope', 'maya', '--url', 'nonsense'], '--url cannot be "nonsense": it takes the address of an API'],
    [['--scope', 'maya'], 'Say which memory'],
    [['--scope', 'maya', '--url', 'http://127.0.0.1:1', '--data', 'x'], 'Say which memory'],
    [['--scope', '../x', '--url', 'http://127.0.0.1:1'], 'scope'],
  ])('%j is refused with what is allowed', (args, message) => {
    expect(() => parseRepair(args)).toThrow(message);
  });

  it('takes a scope and an address', () => {
    expect(parseRepair(['--scope', 'maya', '--url', 'http://127.0.0.1:8787/'])).toMatchObject({
      scope: 'maya',
      url: 'http://127.0.0.1:8787',
    });
  });
});
