/**
 * The synthesized template, made once and kept by a hash of its inputs: CDK takes seconds to say what did not change.
 * It is made in a process of its own, so that CDK is never loaded here and a signal can end it.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Template } from './runtime/template.ts';

/** The repository's root. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** What the template is made from, by `infra/README.md`; relative to the root. */
const INPUTS = ['cdk.json', 'package-lock.json', 'schema', 'infra'];
/** What runs the template takes no part in making it. */
const NO_INPUT = 'infra/local';
const CACHE_FOLDER = '.nightjar';
const STACK_FILE = 'Nightjar-dev.template.json';
/** No bundling, no checks of CloudFormation's: seconds each, and nothing local needs them. */
const SYNTHESIS_ENVIRONMENT = { CDK_VALIDATION: 'false', CDK_CONTEXT_JSON: '{"aws:cdk:bundling-stacks":[]}' };
/** It takes two; a machine that is busy takes ten times that. */
const SYNTHESIS_TIMEOUT_MS = 120_000;
const ERROR_LINES_SHOWN = 12;

export interface LoadOptions {
  /** Default: this repository. */
  readonly root?: string;
  /** Hears that the template has to be made first. */
  readonly onSynthesis?: () => void;
  /** Is given a function that ends the synthesis in mid-way and takes its traces away. */
  readonly onChild?: (stop: () => void) => void;
}

/** The template, kept or fresh. Throws, with what CDK said, when it cannot be made. */
export async function loadTemplate({ root = ROOT, onSynthesis, onChild }: LoadOptions = {}): Promise<Template> {
  const folder = path.join(root, CACHE_FOLDER);
  const kept = path.join(folder, `template-${hashInputs(root)}.json`);
  if (!existsSync(kept)) {
    onSynthesis?.();
    mkdirSync(folder, { recursive: true });
    await makeTemplate(root, kept, onChild ?? (() => {}));
    forgetOthers(folder, path.basename(kept));
  }
  return JSON.parse(readFileSync(kept, 'utf8')) as Template;
}

/** A hash over the names and contents of all inputs. */
export function hashInputs(root: string): string {
  const hash = createHash('sha256');
  for (const file of INPUTS.flatMap((input) => listInput(root, input))) {
    hash
      .update(`${file}\0`)
      .update(readFileSync(path.join(root, file)))
      .update('\0');
  }
  return hash.digest('hex').slice(0, 16);
}

function listInput(root: string, input: string): string[] {
  const entries = readFolder(path.join(root, input));
  if (entries === undefined) return existsSync(path.join(root, input)) ? [input] : [];
  return entries
    .map((name) => `${input}/${name}`)
    .flatMap((inner) => (inner === NO_INPUT ? [] : listInput(root, inner)));
}

/** The names in a folder, sorted; undefined for what is none. */
function readFolder(place: string): string[] | undefined {
  try {
    return readdirSync(place).toSorted();
  } catch {
    return undefined;
  }
}

/** Writes beside and renames, so that whoever reads finds all of a template or none. */
async function makeTemplate(root: string, kept: string, onChild: (stop: () => void) => void): Promise<void> {
  const folder = `${kept}.${process.pid}`;
  const clear = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    await synthesize(root, folder, (stop) =>
      onChild(() => {
        stop();
        clear();
      }),
    );
    const draft = path.join(folder, 'draft.json');
    writeFileSync(draft, readFileSync(path.join(folder, STACK_FILE)));
    renameSync(draft, kept);
  } finally {
    clear();
  }
}

function synthesize(root: string, outdir: string, onChild: (stop: () => void) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['infra/app.ts'], {
      cwd: root,
      env: { ...process.env, ...SYNTHESIS_ENVIRONMENT, CDK_OUTDIR: outdir },
      stdio: ['ignore', 'ignore', 'pipe'],
      timeout: SYNTHESIS_TIMEOUT_MS,
      windowsHide: true,
    });
    onChild(() => child.kill('SIGKILL'));
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
    child.on('error', reject);
    child.on('close', (code, signal) => {
      if (code === 0) resolve();
      else reject(new Error(`The template could not be synthesized (${signal ?? `exit ${code}`}): ${endOf(said)}`));
    });
  });
}

function endOf(text: string): string {
  return text.trim().split('\n').slice(-ERROR_LINES_SHOWN).join('\n');
}

/** Templates of earlier inputs are of no use any more. */
function forgetOthers(folder: string, kept: string): void {
  for (const name of readdirSync(folder)) {
    if (/^template-[0-9a-f]{16}\.json$/.test(name) && name !== kept) rmSync(path.join(folder, name), { force: true });
  }
}
