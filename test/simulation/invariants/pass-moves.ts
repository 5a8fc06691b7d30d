/** What a pass needs before it begins, before it is ended by others, and before it is marked finalized. */
import { isDryRun } from '../../../schema/kind.ts';
import { LIMITS } from '../../../schema/limits.ts';
import type { PassItem } from '../../../schema/pass.ts';
import { scopeKey } from '../../../schema/scope.ts';
import { type Closing, closingOf } from '../../../schema/usage.ts';
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
}

/** The sweep ends it. */
export function checkExpired(world: World, old: PassItem, next: PassItem): void {
  const { kernel, network } = world;
  const { passId, failure } = next;
  if (failure?.code === 'never_started' && old.status !== 'admitted')
    kernel.fail('who runs is not given up', `${passId} was given up as never started, and is ${old.status}`);
  if (failure?.code === 'silent') {
    const silentMs = kernel.nowMs + (network.current?.skewMs ?? 0) - (old.heartbeatAtMs ?? 0);
    if (silentMs <= LIMITS.heartbeatSilenceMs)
      kernel.fail('who runs is not given up', `${passId} was given up ${silentMs} ms after its last beat`);
  }
}

/** It is marked: whoever comes later finds that it owes nothing. */
export function checkPaid(world: World, pass: PassItem, isCounted: boolean): void {
  if (!standsIn(world, pass)) return;
  const { passId, kind } = pass;
  if (!isCounted && !isDryRun(kind)) world.kernel.fail('marked last', `${passId} is finalized, and was never counted`);
  if (reservationFor(world, pass) === 'open')
    world.kernel.fail('marked last', `${passId} is finalized, and its budget is still set aside`);
}
