/** EventBridge Scheduler: `rate()` schedules that invoke a function asynchronously, by the clock or by hand. */
import { randomUUID } from 'node:crypto';
import type { SendToDestination } from './destination.ts';
import { readText } from './properties.ts';
import { ACCOUNT, parseFunctionReference, REGION, type Resource } from './template.ts';

export interface Schedule {
  readonly name: string;
  readonly periodMs: number;
  /** Invokes the target for this time; resolves when its event was handled or given up. */
  readonly fire: (scheduledAtMs: number) => Promise<void>;
}

export interface ScheduleOptions {
  readonly schedule: Resource;
  /** Accepts an asynchronous event; throws when the function cannot take it. */
  readonly invoke: (functionName: string, qualifier: string | undefined, payload: string) => Promise<void>;
  readonly sendToDestination: SendToDestination;
}

interface Target {
  readonly Arn: string;
  readonly Input?: string;
  readonly DeadLetterConfig?: { readonly Arn: string };
}

const UNITS_MS: Readonly<Record<string, number>> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };

/**
 * Reads one schedule of the template; undefined when it is disabled. Throws for an expression that is not `rate(n unit)`.
 * A retry policy needs no emulation: on one machine an asynchronous invocation is accepted or refused for good, and what
 * is refused goes to the dead-letter queue.
 */
export function readSchedule({ schedule, invoke, sendToDestination }: ScheduleOptions): Schedule | undefined {
  const { properties, logicalId } = schedule;
  const expression = readText(schedule, 'ScheduleExpression');
  const [, count, unit = ''] = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(expression) ?? [];
  const unitMs = UNITS_MS[unit];
  if (unitMs === undefined)
    throw new Error(`${logicalId} runs at ${expression}; only rate(n minutes|hours|days) is emulated.`);
  if (properties.State === 'DISABLED') return undefined;
  const target = properties.Target as Target;
  const { name, qualifier } = parseFunctionReference(target.Arn);
  return {
    name: logicalId,
    periodMs: Number(count) * unitMs,
    async fire(scheduledAtMs) {
      const payload = writeInput(target.Input, logicalId, scheduledAtMs);
      try {
        await invoke(name, qualifier, payload);
      } catch (error) {
        const deadLetterArn = target.DeadLetterConfig?.Arn;
        if (deadLetterArn === undefined) throw error;
        sendToDestination(deadLetterArn, JSON.parse(payload) as object);
      }
    },
  };
}

/** The target's input with the context attributes of Scheduler put in, or the event a target without input gets. */
function writeInput(input: string | undefined, scheduleName: string, scheduledAtMs: number): string {
  const time = new Date(scheduledAtMs).toISOString().replace(/\.\d{3}Z$/, 'Z');
  const scheduleArn = `arn:aws:scheduler:${REGION}:${ACCOUNT}:schedule/default/${scheduleName}`;
  const executionId = randomUUID();
  if (input === undefined) {
    const source = { source: 'aws.scheduler', 'detail-type': 'Scheduled Event', account: ACCOUNT, region: REGION };
    return JSON.stringify({ version: '0', id: executionId, ...source, time, resources: [scheduleArn], detail: '{}' });
  }
  return input
    .replaceAll('<aws.scheduler.scheduled-time>', time)
    .replaceAll('<aws.scheduler.schedule-arn>', scheduleArn)
    .replaceAll('<aws.scheduler.execution-id>', executionId)
    .replaceAll('<aws.scheduler.attempt-number>', '1');
}
