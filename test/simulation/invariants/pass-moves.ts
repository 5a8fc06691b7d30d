/** What a pass needs before it begins, before it is ended by others, and before it is marked finalized. */
import { isDryRun } from '../../../schema/kind.ts';
import { LIMITS } from '../../../schema/limits.ts';
import type { PassItem } from '../../../schema/pass.ts';
import { scopeKey } from '../../../schema/scope.ts';
import { type Closing, closingOf } from '../../../schema/usage.ts';
import { ledgerIn, poolNumberOf } from './pools.ts';
import type { World } from '../engine/world.ts';

type Found = Closing | 'open' | undefined;

/** What the days say of a pass; read in the generation it is of. */
export function reservationFor(world: World, { passId, scope, generation }: PassAddress): Found {
  const days = world.tables.list(`SCOPE#${scope}#${generation}`, 'USAGE#');
  return days.map((day) => closingOf(day, passId)).find((closing) => closing !== undefined);
}

type PassAddress = Pick<PassItem, 'passId' | 'scope' | 'generation'>;

/** Rows of a generation that went go in any order. */
const standsIn = ({ tables }: World, { scope, generation }: PassAddress): boolean => {
  const { pk, sk } = scopeKey(scope);
  return tables.peek(pk, sk)?.generation === generation;
};

/** Its row is put. */
export function checkBegun(world: World, pass: PassItem): void {
  const { kernel } = world;
  const found = reservationFor(world, pass);
  if (found === 'refused') kernel.fail('I7 one end', `${pass.passId} was refused, and begins`);
  if (found === undefined && standsIn(world, pass))
    kernel.fail('reserved before it begins', `${pass.passId} begins, and no day has set anything aside for it`);
  checkAdmitted(world, pass);
}

const ADMITTED_AS = ['kind', 'slotNumber', 'triggerId', 'origin', 'heldBack', 'admittedAtMs'] as const;

/** Whoever put its row, the scheduler or a sweep after that died. */
function checkAdmitted(world: World, pass: PassItem): void {
  const { pools } = world.plan.deployment;
  const entry = ledgerIn(world, poolNumberOf(pass.scope, pools))?.passes[pass.passId];
  if (!entry || entry.generation !== pass.generation) return;
  const other: string[] = ADMITTED_AS.filter((name) => pass[name] !== entry[name]);
  if ((pass.attention !== undefined) !== (entry.attention === true)) other.push('attention');
  if (other.length > 0)
    world.kernel.fail('a pass is what was admitted', `${pass.passId} has another ${other.join(', ')} than its entry`);
}

/** The sweep ends it. */
export function checkExpired(world: World, old: PassItem, next: PassItem): void {
  const { kernel, network } = world;
  const { passId, failure } = next;
  if (failure?.code === 'never_started' && old.status !== 'admitted')
    kernel.fail('who runs is not given up', `${passId} was given up as never started, and is ${old.status}`);
  const nowMs = kernel.nowMs + (network.current?.skewMs ?? 0);
  if (failure?.code === 'never_started' && nowMs - old.admittedAtMs <= LIMITS.passStartGiveUpMs)
    kernel.fail(
      'who runs is not given up',
      `${passId} was given up ${nowMs - old.admittedAtMs} ms after its admission`,
    );
  if (failure?.code === 'worker_failed' && old.requestId !== network.current?.failedRequestId)
    kernel.fail('who runs is not given up', `${passId} was given up for an invocation that is not its own`);
  if (failure?.code === 'silent') {
    const silentMs = nowMs - (old.heartbeatAtMs ?? 0);
    if (silentMs <= LIMITS.heartbeatSilenceMs)
      kernel.fail('who runs is not given up', `${passId} was given up ${silentMs} ms after its last beat`);
  }
}

/** It is invoked again: only as long as it is not given up, by the clock of who does either. */
export function checkInvoked({ kernel }: World, old: PassItem, { passId, invokedAtMs, admittedAtMs }: PassItem): void {
  if (invokedAtMs === old.invokedAtMs) return;
  if (invokedAtMs - admittedAtMs > LIMITS.passStartGiveUpMs)
    kernel.fail(
      'who never starts is given up',
      `${passId} is invoked ${invokedAtMs - admittedAtMs} ms after its admission`,
    );
}

/** It is marked: whoever comes later finds that it owes nothing. */
export function checkPaid(world: World, pass: PassItem, isCounted: boolean): void {
  if (!standsIn(world, pass)) return;
  const { passId, kind } = pass;
  if (!isCounted && !isDryRun(kind)) world.kernel.fail('marked last', `${passId} is finalized, and was never counted`);
  if (reservationFor(world, pass) === 'open')
    world.kernel.fail('marked last', `${passId} is finalized, and its budget is still set aside`);
}
