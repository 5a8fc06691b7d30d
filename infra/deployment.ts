/**
 * What one environment differs in, and the context settings a deployer may pass with `-c name=value`.
 * Everything is checked here, before any construct exists, so that a typing error costs a second and not a rollback.
 */
import { RemovalPolicy } from 'aws-cdk-lib';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Node } from 'constructs';
import { TRIGGERS } from '../schema/edges.ts';
import { FUNCTION_ENVIRONMENT, type FunctionName } from '../schema/environment.ts';

export const ENVIRONMENT_NAMES = ['dev', 'staging', 'prod'] as const;
export type EnvironmentName = (typeof ENVIRONMENT_NAMES)[number];

export const OBSERVABILITY_LEVELS = ['off', 'basic', 'full'] as const;
/** `off`: no dashboard; `basic`: the one page an operator looks at; `full`: also the standard graphs of every resource. */
export type Observability = (typeof OBSERVABILITY_LEVELS)[number];

export const FUNCTION_NAMES = Object.keys(FUNCTION_ENVIRONMENT) as FunctionName[];

/** Lambda's default for a region; a larger reservation could never be granted. */
const CONCURRENCY_MAX = 1_000;

/** Both SQS mappings may run at their maximum while a tick arrives; a smaller reservation sends healthy messages to the DLQ. */
export const SCHEDULER_RESERVED_MIN = 2 * TRIGGERS.maxConcurrency + 1;

export interface Deployment {
  readonly environment: EnvironmentName;
  readonly observability: Observability;
  /** Functions that get a reservation. None by default: a new AWS account has 10 in all and refuses reservations. */
  readonly reservedConcurrency: Partial<Record<FunctionName, number>>;
  /** What happens to tables and logs when the stack or one of them is deleted. */
  readonly removalPolicy: RemovalPolicy;
  /** Point-in-time recovery and deletion protection of the tables. */
  readonly protected: boolean;
  /** The most request units a second that a table serves; absent: as much as is asked for. */
  readonly ceilings?: { readonly maxReadRequestUnits: number; readonly maxWriteRequestUnits: number };
  readonly logRetention: RetentionDays;
}

type EnvironmentShape = Pick<Deployment, 'removalPolicy' | 'protected' | 'ceilings' | 'logRetention'>;

const ENVIRONMENTS: Record<EnvironmentName, EnvironmentShape> = {
  // A runaway loop in dev meets the ceiling: 1,000 write units a second for an hour are a few dollars, not hundreds.
  dev: {
    removalPolicy: RemovalPolicy.DESTROY,
    protected: false,
    ceilings: { maxReadRequestUnits: 2_000, maxWriteRequestUnits: 1_000 },
    logRetention: RetentionDays.ONE_WEEK,
  },
  staging: { removalPolicy: RemovalPolicy.DESTROY, protected: false, logRetention: RetentionDays.ONE_MONTH },
  prod: { removalPolicy: RemovalPolicy.RETAIN, protected: true, logRetention: RetentionDays.THREE_MONTHS },
};

/** The app was asked for something that is not allowed: its message is one sentence with the value and what is. */
export class ContextError extends Error {
  override readonly name = 'ContextError';
}

function readChoice<Choice extends string>(
  node: Node,
  name: string,
  allowed: readonly Choice[],
  otherwise: Choice,
): Choice {
  const given: unknown = node.tryGetContext(name) ?? otherwise;
  const choice = allowed.find((candidate) => candidate === given);
  if (choice === undefined) {
    throw new ContextError(
      `Context "${name}" is ${JSON.stringify(given)}; allowed are ${allowed.join(', ')}. Pass one of them: -c ${name}=${otherwise}.`,
    );
  }
  return choice;
}

function readReservation(entry: string): [FunctionName, number] {
  const [given = '', countText = ''] = entry.split('=', 2);
  const name = FUNCTION_NAMES.find((candidate) => candidate === given);
  const count = Number(countText);
  const min = name === 'scheduler' ? SCHEDULER_RESERVED_MIN : 1;
  if (name === undefined || !/^\d+$/.test(countText) || count < min || count > CONCURRENCY_MAX) {
    throw new ContextError(
      `Context "reservedConcurrency" has the entry ${JSON.stringify(entry)}; an entry is <function>=<number> with a function of ` +
        `${FUNCTION_NAMES.join(', ')} and a number from 1 (scheduler: ${SCHEDULER_RESERVED_MIN}) to ${CONCURRENCY_MAX}. ` +
        'Example: -c reservedConcurrency=worker=20,scheduler=6.',
    );
  }
  return [name, count];
}

function readReservedConcurrency(node: Node): Partial<Record<FunctionName, number>> {
  const given: unknown = node.tryGetContext('reservedConcurrency') ?? '';
  if (given === '' || given === 'off') return {};
  return Object.fromEntries(String(given).split(',').map(readReservation)) as Partial<Record<FunctionName, number>>;
}

/**
 * Reads the context of an app: `env` (default dev), `observability` (default basic), `reservedConcurrency` (default off).
 * Throws a ContextError that names the value and what is allowed.
 */
export function readDeployment(node: Node): Deployment {
  const environment = readChoice(node, 'env', ENVIRONMENT_NAMES, 'dev');
  return {
    environment,
    observability: readChoice(node, 'observability', OBSERVABILITY_LEVELS, 'basic'),
    reservedConcurrency: readReservedConcurrency(node),
    ...ENVIRONMENTS[environment],
  };
}
