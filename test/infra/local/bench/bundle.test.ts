import type { Metafile } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { listStaticFiles, staticBytes } from '../../../../infra/local/bench/bundle.ts';
import { describeBareHandler, median } from '../../../../infra/local/bench/cold-start.ts';

const output = (bytes: number, inputs: readonly string[], more: object = {}) => ({
  bytes,
  inputs: Object.fromEntries(inputs.map((input) => [input, { bytesInOutput: 1 }])),
  imports: [],
  exports: [],
  ...more,
});

/** An entry, a chunk it imports, and one it loads on demand. */
function makeMetafile(clients: readonly string[]): Metafile {
  return {
    inputs: {},
    outputs: {
      'out/index.mjs': output(10, ['functions/a/handler.ts'], {
        entryPoint: 'functions/a/handler.ts',
        imports: [
          { path: 'out/chunks/a.mjs', kind: 'import-statement' },
          { path: 'out/chunks/late.mjs', kind: 'dynamic-import' },
        ],
      }),
      'out/chunks/a.mjs': output(
        20,
        clients.map((name) => `node_modules/${name}/dist/a.js`),
      ),
      'out/chunks/late.mjs': output(40, ['node_modules/@aws-sdk/client-lambda/dist/a.js'], { entryPoint: 'late.ts' }),
    },
  };
}

describe('what a cold start reads', () => {
  it('is the entry and what it imports, and nothing loaded on demand', () => {
    const metafile = makeMetafile([]);
    expect(listStaticFiles(metafile)).toEqual(['out/index.mjs', 'out/chunks/a.mjs']);
    expect(staticBytes(metafile)).toBe(30);
  });
});

describe('the handler to compare with', () => {
  it('constructs the clients that the function has, and no others', () => {
    const code = describeBareHandler(makeMetafile(['@aws-sdk/lib-dynamodb', '@aws-sdk/client-sqs']));
    expect(code).toContain('new DynamoDBClient({})');
    expect(code).toContain('new SQSClient({})');
    expect(code).not.toContain('Lambda');
    expect(describeBareHandler(makeMetafile([]))).not.toContain('new ');
  });
});

describe('the median', () => {
  it.each([
    [[3], 3],
    [[9, 1, 2], 2],
    [[4, 1, 3, 2], 2.5],
  ])('of %j is %d', (numbers, expected) => {
    expect(median(numbers)).toBe(expected);
  });
});
