/**
 * The second engine: dynoxide's binary, an optional dependency that exists for one platform. A process of its own on a
 * free port of this machine, with everything in memory.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ROOT } from '../template-cache.ts';

const PACKAGE = '@dynoxide/linux-x64';
const START_TIMEOUT_MS = 10_000;
const LOOK_EVERY_MS = 20;

/** What to say where the second engine is not installed. */
export const NO_WITNESS = `${PACKAGE} is not installed (an optional dependency, for Linux on x64 only): no second engine to compare with.`;

export interface Witness {
  /** Base URL of a DynamoDB endpoint. */
  readonly url: string;
  /** Name and version, for the record. */
  readonly name: string;
  readonly stop: () => Promise<void>;
}

/** Whether it is installed here. */
export function hasWitness(): boolean {
  return existsSync(locate('dynoxide'));
}

/** Starts it and waits until it answers. Throws when it is not installed, ends by itself or does not answer. */
export async function startWitness(): Promise<Witness> {
  if (!hasWitness()) throw new Error(NO_WITNESS);
  const port = await findFreePort();
  const child = spawn(locate('dynoxide'), ['serve', '--host', '127.0.0.1', '--port', String(port)], {
    stdio: 'ignore',
    windowsHide: true,
  });
  const url = `http://127.0.0.1:${port}`;
  const { version } = JSON.parse(readFileSync(locate('package.json'), 'utf8')) as { version: string };
  try {
    await untilAnswering(url, child);
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  }
  return {
    url,
    name: `${PACKAGE} ${version}`,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
    },
  };
}

function locate(file: string): string {
  return path.join(ROOT, 'node_modules', PACKAGE, file);
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function untilAnswering(url: string, child: ChildProcess): Promise<void> {
  const endMs = performance.now() + START_TIMEOUT_MS;
  for (;;) {
    if (child.exitCode !== null) throw new Error(`${PACKAGE} ended by itself with code ${child.exitCode}.`);
    const isUp = await fetch(url).then(
      () => true,
      () => false,
    );
    if (isUp) return;
    if (performance.now() > endMs)
      throw new Error(`${PACKAGE} does not answer at ${url} after ${START_TIMEOUT_MS} ms.`);
    await sleep(LOOK_EVERY_MS);
  }
}
