/** Schedules: which are read, what their target gets, and where a refused event goes. */
import { describe, expect, it } from 'vitest';
import { readSchedule } from '../../../../infra/local/runtime/schedule.ts';

const TARGET = {
  Arn: 'arn:aws:lambda:us-east-1:000000000000:function:scheduler:live',
  DeadLetterConfig: { Arn: 'arn:dlq' },
};
const TIME_MS = Date.UTC(2026, 0, 2, 3, 4, 5, 678);

function open(properties: object, refusal?: Error) {
  const invoked: [string, string | undefined, unknown][] = [];
  const dead: [string, object][] = [];
  const schedule = readSchedule({
    schedule: {
      logicalId: 'Tick',
      type: '',
      ref: '',
      name: '',
      entry: undefined,
      properties: { ScheduleExpression: 'rate(1 minute)', State: 'ENABLED', Target: TARGET, ...properties },
    },
    invoke(functionName, qualifier, payload) {
      if (refusal !== undefined) throw refusal;
      invoked.push([functionName, qualifier, JSON.parse(payload)]);
      return Promise.resolve();
    },
    sendToDestination: (arn, body) => dead.push([arn, body]),
  });
  return { schedule, invoked, dead };
}

describe('a schedule', () => {
  it.each([
    ['rate(1 minute)', 60_000],
    ['rate(5 minutes)', 300_000],
    ['rate(2 hours)', 7_200_000],
    ['rate(1 day)', 86_400_000],
  ])('%s has its period', (ScheduleExpression, periodMs) => {
    expect(open({ ScheduleExpression }).schedule?.periodMs).toBe(periodMs);
  });

  it('of another kind is refused, a disabled one left out', () => {
    expect(() => open({ ScheduleExpression: 'cron(0 12 * * ? *)' })).toThrow(/Tick runs at cron/);
    expect(open({ State: 'DISABLED' }).schedule).toBeUndefined();
  });

  it('puts the scheduled time into the input of its target', async () => {
    const Input = '{"kind":"tick","at":"<aws.scheduler.scheduled-time>","by":"<aws.scheduler.schedule-arn>"}';
    const { schedule, invoked } = open({ Target: { ...TARGET, Input } });
    await schedule?.fire(TIME_MS);
    const by = 'arn:aws:scheduler:us-east-1:000000000000:schedule/default/Tick';
    expect(invoked).toEqual([['scheduler', 'live', { kind: 'tick', at: '2026-01-02T03:04:05Z', by }]]);
  });

  it('without an input sends the event of a scheduled invocation', async () => {
    const { schedule, invoked } = open({});
    await schedule?.fire(TIME_MS);
    expect(invoked[0]?.[2]).toMatchObject({ 'detail-type': 'Scheduled Event', time: '2026-01-02T03:04:05Z' });
  });

  it('whose target refuses the event sends it to the dead-letter queue, or says so without one', async () => {
    const refused = open({ Target: { ...TARGET, Input: '{"a":1}' } }, new Error('gone'));
    await refused.schedule?.fire(TIME_MS);
    expect(refused.dead).toEqual([['arn:dlq', { a: 1 }]]);
    const bare = open({ Target: { Arn: TARGET.Arn } }, new Error('gone'));
    await expect(bare.schedule?.fire(TIME_MS)).rejects.toThrow('gone');
  });
});
