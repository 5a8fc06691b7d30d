/**
 * What a function's code costs at a cold start beside a handler that only constructs the same SDK clients: processor time
 * of importing the bundle, median of several fresh processes each, taken in turns so that a busy machine burdens both
 * alike. Processor time, not the wall: a function starts on a share of one processor. Only the ratio means anything.
 */
import { execFile } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type { Metafile } from 'esbuild';
import { ENVIRONMENT, type FunctionName, PARAMETERS } from '../../../schema/environment.ts';
import { ROOT } from '../template-cache.ts';
import { FUNCTIONS, listStaticFiles, writeBundle } from './bundle.ts';
import { type Area, atMost } from './figure.ts';

const RATIO_MAX = 1.25;
const ROUNDS = 11;
const IMPORTER = fileURLToPath(new URL('cold-import.ts', import.meta.url));
const run = promisify(execFile);

/** The clients a function may have, by the package that its bundle then contains. */
const CLIENTS: readonly (readonly [marker: string, code: string])[] = [
  [
    '@aws-sdk/lib-dynamodb',
    `import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
clients.push(DynamoDBDocumentClient.from(new DynamoDBClient({})));`,
  ],
  ['@aws-sdk/client-sqs', `import { SQSClient } from '@aws-sdk/client-sqs';\nclients.push(new SQSClient({}));`],
  [
    '@aws-sdk/client-lambda',
    `import { LambdaClient } from '@aws-sdk/client-lambda';\nclients.push(new LambdaClient({}));`,
  ],
];

/** A handler that constructs the clients which the bundle contains, and does nothing else. */
export function describeBareHandler(metafile: Metafile): string {
  const inputs = listStaticFiles(metafile).flatMap((file) => Object.keys(metafile.outputs[file]?.inputs ?? {}));
  const used = CLIENTS.filter(([marker]) => inputs.some((input) => input.includes(`node_modules/${marker}/`)));
  const code = used.map(([, text]) => text).join('\n');
  return `const clients: unknown[] = [];\n${code}\nexport const handler = async () => clients.length;\n`;
}

/** What handlers read when they are imported: the defaults of the deployment, and names for the rest. */
const VARIABLES: NodeJS.ProcessEnv = {
  ...Object.fromEntries(Object.values(ENVIRONMENT).map((name) => [name, 'bench'])),
  ...Object.fromEntries(
    Object.entries(PARAMETERS).map(([key, parameter]) => [
      ENVIRONMENT[key as keyof typeof PARAMETERS],
      parameter.default,
    ]),
  ),
  AWS_REGION: 'us-east-1',
};

/** Milliseconds of processor time that a fresh process spends on importing this file. */
async function measureImport(file: string): Promise<number> {
  const { stdout } = await run(process.execPath, [IMPORTER, pathToFileURL(file).href], { env: VARIABLES });
  return Number(stdout) / 1000;
}

export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

async function measureCold(name: FunctionName, note: (line: string) => void): Promise<number> {
  const folder = path.join(ROOT, '.nightjar/bench');
  const { metafile, entry } = await writeBundle({ name }, path.join(folder, name));
  const bare = await writeBundle({ contents: describeBareHandler(metafile) }, path.join(folder, `${name}-bare`));
  // Once each unmeasured, so that both files stand in the machine's cache.
  for (const file of [entry, bare.entry]) await measureImport(file);
  const own: number[] = [];
  const clients: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    own.push(await measureImport(entry));
    clients.push(await measureImport(bare.entry));
  }
  note(
    `cold.${name}: ${median(own).toFixed(0)} ms of processor time, its clients alone ${median(clients).toFixed(0)} ms (medians of ${ROUNDS} on this machine)`,
  );
  return median(own) / median(clients);
}

export const coldStarts: readonly Area[] = FUNCTIONS.map((name) => ({
  names: [`cold.${name}`],
  measure: async (note) => [atMost(`cold.${name}`, await measureCold(name, note), RATIO_MAX)],
}));
