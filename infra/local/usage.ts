/** Options of the commands: what is allowed, and one sentence for what is not. */
import path from 'node:path';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { EXECUTOR_NAMES, type ExecutorName } from '../../schema/environment.ts';
import { scopeSchema } from '../../schema/ids.ts';
import { SETTING_RANGES } from '../../schema/settings.ts';
import { readFaultFile } from './fault-file.ts';
import type { FaultOptions } from './runtime/fault-options.ts';

/** The command was called wrongly: its message is one sentence with the value and what is allowed; exit 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The help was asked for and is the whole answer; exit 0. */
export class HelpRequest extends Error {
  override readonly name = 'HelpRequest';
}

const { min: PASSES_MIN, max: PASSES_MAX } = SETTING_RANGES.maxPassesPerScope;
/** What one reply of the stub may take at most: longer than any pass runs. */
const DELAY_MAX_MS = 600_000;
/** A model is never quicker; and no pass is through before the others have started. */
const DELAY_DEFAULT_MS = 100;
const PORT_MAX = 65_535;
export const SEED_MAX = 999_999_999;

/** A relative path counts from where the person stands; npm itself goes to the package's folder. */
export function resolveGiven(given: string): string {
  return path.resolve(process.env.INIT_CWD ?? process.cwd(), given);
}

/** A whole number within a range, in plain digits. */
export function wholeNumber(range: { readonly min: number; readonly max: number; readonly unit: string }) {
  return (text: string): number => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= range.min && value <= range.max) return value;
    throw new InvalidArgumentError(`it takes a whole number ${range.unit} from ${range.min} to ${range.max}`);
  };
}

function scopeName(text: string): string {
  const parsed = scopeSchema.safeParse(text);
  // A path with . or .. in it means another path.
  if (/^\.\.?$/.test(text)) throw new InvalidArgumentError('a scope is more than dots');
  if (parsed.success) return parsed.data;
  throw new InvalidArgumentError(parsed.error.issues[0]?.message ?? 'it takes the name of a scope');
}

function executorName(text: string): ExecutorName {
  const name = EXECUTOR_NAMES.find((known) => known === text);
  if (name !== undefined) return name;
  throw new InvalidArgumentError(`it takes one of ${EXECUTOR_NAMES.join(', ')}`);
}

function folder(text: string): string {
  if (text !== '') return resolveGiven(text);
  throw new InvalidArgumentError('it takes the path of a folder');
}

function faultFile(text: string): FaultOptions {
  try {
    return readFaultFile(resolveGiven(text));
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
}

export const OPTIONS = {
  from: () => new Option('--from <DIR>', 'the folder whose files are the sources (default: samples)').argParser(folder),
  scope: () => new Option('--scope <NAME>', 'whose memory it is').default('demo').argParser(scopeName),
  passes: () =>
    new Option('--passes <N>', `how many passes read at once, ${PASSES_MIN} to ${PASSES_MAX}`)
      .default(3)
      .argParser(wholeNumber({ min: PASSES_MIN, max: PASSES_MAX, unit: 'of passes' })),
  executor: () =>
    new Option('--executor <NAME>', `what reads: ${EXECUTOR_NAMES.join(' or ')}`)
      .default('rules' satisfies ExecutorName)
      .argParser(executorName),
  delayMs: () =>
    new Option('--delay-ms <MS>', 'how long each reply of the stub takes')
      .default(DELAY_DEFAULT_MS)
      .argParser(wholeNumber({ min: 0, max: DELAY_MAX_MS, unit: 'of milliseconds' })),
  data: () => new Option('--data <DIR>', 'keeps the memory in this folder').argParser(folder),
  faults: () => new Option('--faults <FILE>', 'a JSON file of what goes wrong, for tests').argParser(faultFile),
  seed: () =>
    new Option('--seed <S>', 'the same draws for the same seed')
      .default(1)
      .argParser(wholeNumber({ min: 0, max: SEED_MAX, unit: 'as a seed' })),
  strict: () => new Option('--strict', 'leave a transcript out for one bad line, instead of the line').default(false),
  json: () => new Option('--json', 'one line of figures on stdout, progress on stderr').default(false),
  port: () =>
    new Option('--port <PORT>', 'where the HTTP API listens; 0 takes any free port')
      .default(8787)
      .argParser(wholeNumber({ min: 0, max: PORT_MAX, unit: 'of a port' })),
} as const;

/**
 * Parses arguments. Throws a UsageError for what is not allowed and a HelpRequest, whose message is the help.
 * `describeCommand` adds options and arguments to a command.
 */
export function parseArguments(
  args: readonly string[],
  name: string,
  describeCommand: (command: Command) => Command,
): Command {
  let help = '';
  const command = describeCommand(new Command(name))
    .allowExcessArguments(false)
    .showSuggestionAfterError(false)
    .exitOverride()
    .configureOutput({ writeOut: (text) => (help += text), writeErr: () => {} });
  try {
    return command.parse([...args], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.code === 'commander.helpDisplayed' || error.code === 'commander.help') throw new HelpRequest(help);
    throw new UsageError(explain(error, command, args));
  }
}

function explainMissing(flags: string | undefined, command: Command): string {
  const option = command.options.find((known) => known.flags === flags);
  return `${flags ?? 'An option'} was given no value: it says ${option?.description ?? 'something'}.`;
}

function explainExcess(given: string, { registeredArguments: [argument] }: Command, options: string): string {
  if (argument !== undefined) return `Only one ${argument.name()} is taken, not ${given} too.`;
  const allowed = options === '' ? 'Nothing is taken' : 'Only options are taken';
  return `${allowed}, not ${given}${options === '' ? '' : `; the options are ${options}`}.`;
}

/** Commander's words made one sentence: what was given, and what is allowed instead. */
function explain({ code, message }: CommanderError, command: Command, args: readonly string[]): string {
  const said = message.replace(/^error: /, '').replaceAll('\n', ' ');
  const options = command.options.map(({ flags }) => flags).join(', ');
  switch (code) {
    case 'commander.unknownOption':
      return `There is no option ${/'(.*)'/.exec(said)?.[1] ?? said}; ${options === '' ? 'there are none' : `the options are ${options}`}.`;
    case 'commander.optionMissingArgument':
      return explainMissing(/'(.*)'/.exec(said)?.[1], command);
    case 'commander.excessArguments':
      return explainExcess(JSON.stringify(command.args.at(-1) ?? args.at(-1)), command, options);
    case 'commander.invalidArgument': {
      const [, flags, value, reason] = /^option '(.*?)' argument '(.*)' is invalid\. (.*)$/s.exec(said) ?? [];
      if (flags === undefined) return `${said}.`;
      return `${flags.split(' ')[0]} cannot be ${JSON.stringify(value)}: ${reason}.`;
    }
    default:
      return `${said.charAt(0).toUpperCase()}${said.slice(1)}.`;
  }
}
