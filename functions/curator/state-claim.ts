/** What a person says of one claim: that it is so, that it is wrong, that it stands above the sources. */
import { type CitationItem, type ClaimSlot, liftProtection, type ScopeAddress } from '../../schema/citation.ts';
import { putEntity } from '../../schema/entity.ts';
import type { CorrectBody, ProtectBody, RetractBody, UnprotectBody } from '../../schema/memory-api.ts';
import { claimIdOf, slotOf } from '../core/claims.ts';
import { protects } from '../core/counting.ts';
import { parseEventTime } from '../core/event-time.ts';
import { makeStatement, type Statement } from '../core/person-claims.ts';
import { viewSlot } from '../core/slot-view.ts';
import { isForgotten, loadForgotten, takeOutForgotten } from '../io/forgotten.ts';
import { rebuildSlot } from '../io/heads.ts';
import { HttpError } from '../io/http.ts';
import { loadAliases, readMergedSlot, readSlotsOfGroup } from '../io/merged-slots.ts';
import { recordCitation } from '../io/record-citation.ts';
import type { CuratorDeps } from './deps.ts';
import { saidAtMsOf } from './said-at.ts';
import { addressOf } from './scope-address.ts';

export interface StatedAnswer {
  readonly scope: string;
  /** The citation that now says so, and its claim. */
  readonly citation: string;
  readonly claim: string;
  readonly value: string;
  /** False: the same was said at the same time before, and nothing changed. */
  readonly changed: boolean;
  /** What is current in the claim slot now. */
  readonly current?: { readonly claim: string; readonly value: string };
}

type Addressed = Pick<Statement, 'entity' | 'attribute' | 'cardinality'>;

/** The claim slot named by a body; of a many-valued attribute, that of the value. */
function slotOfBody({ entity, attribute, cardinality }: Addressed, value: string | undefined): ClaimSlot {
  return slotOf({ entity, attribute, cardinality, value: value ?? '', ends: value });
}

/** The claim slot with those of entities that were merged: what a person sees is what they speak of. */
async function readWhole({ store }: CuratorDeps, address: ScopeAddress, slot: ClaimSlot) {
  return readMergedSlot(store, address, await loadAliases(store, address), slot);
}

function refuseForgotten({ entity, attribute }: Statement): HttpError {
  const message = `${entity} ${attribute}: this value was forgotten on request, and nobody may say it again until POST …/erasures/lift takes that back`;
  return new HttpError(409, 'forgotten', message);
}

async function say(
  deps: CuratorDeps,
  { scope, generation }: ScopeAddress,
  statement: Statement,
): Promise<StatedAnswer> {
  const { store, clock, ids } = deps;
  const address = { scope, generation };
  const citation = makeStatement(statement, clock.nowMs());
  if (isForgotten(await loadForgotten(store, address), citation)) throw refuseForgotten(statement);
  await store.write(putEntity(address, citation.entityName, ids.fresh()));
  const recorded = await recordCitation(deps, { address, citation, passId: undefined });
  if ((await takeOutForgotten(deps, address, [citation])) > 0) throw refuseForgotten(statement);
  const { current } = viewSlot((await readWhole(deps, address, citation.slot)).citations);
  return {
    scope,
    citation: citation.citationId,
    claim: citation.claimId,
    value: citation.value,
    changed: recorded === 'new',
    ...(current && { current: { claim: current.claimId, value: current.value } }),
  };
}

/** Records what is true. Throws a 400 for an event that cannot be read, or that has not come and should protect. */
export async function correctClaim(deps: CuratorDeps, scope: string, body: CorrectBody): Promise<StatedAnswer> {
  const address = await addressOf(deps, scope);
  const { event: eventText, protect, at, ...said } = body;
  const event = eventText === undefined ? undefined : parseEventTime(eventText);
  if (eventText !== undefined && !event) {
    const message = `event: "${eventText}" is no time: give 2024, 2024-05, 2024-05-03 or a full time with an offset`;
    throw new HttpError(400, 'invalid_request', message);
  }
  const saidAtMs = saidAtMsOf(deps, at);
  const statement: Statement = { ...said, event, saidAtMs, mode: protect ? 'protects' : 'states' };
  if (protect && makeStatement(statement, saidAtMs).planned) {
    const message = `event: ${eventText} has not come yet, and a plan is not yet true: send protect: false to record it as a plan`;
    throw new HttpError(400, 'invalid_request', message);
  }
  return say(deps, address, statement);
}

/** The citations of a claim; of the current one where no value is named. Throws a 404 when there are none. */
async function findClaim(
  deps: CuratorDeps,
  address: ScopeAddress,
  body: Addressed & { readonly value?: string | undefined },
): Promise<readonly CitationItem[]> {
  const { slot, citations } = await readWhole(deps, address, slotOfBody(body, body.value));
  const claimId = body.value === undefined ? viewSlot(citations).current?.claimId : claimIdOf(slot, body.value);
  const found = citations.filter((citation) => citation.claimId === claimId && !citation.retracts);
  if (found.length > 0) return found;
  const what = body.value === undefined ? 'no current claim' : `no claim ${JSON.stringify(body.value)}`;
  const hint = body.cardinality === 'one' ? '; a many-valued attribute takes "cardinality": "many"' : '';
  throw new HttpError(404, 'not_found', `${body.entity} ${body.attribute}: there is ${what}${hint}`);
}

/** Records that a claim is wrong: whatever was captured up to then does not count for it, found already or later. */
export async function retractClaim(deps: CuratorDeps, scope: string, body: RetractBody): Promise<StatedAnswer> {
  const address = await addressOf(deps, scope);
  await findClaim(deps, address, body);
  const { at, value, ...said } = body;
  const ends = body.cardinality === 'many' && value === '' ? undefined : value;
  return say(deps, address, { ...said, value, ends, saidAtMs: saidAtMsOf(deps, at), mode: 'retracts' });
}

/** Records that a claim is right and stands above what sources say, until that is lifted. */
export async function protectClaim(deps: CuratorDeps, scope: string, body: ProtectBody): Promise<StatedAnswer> {
  const address = await addressOf(deps, scope);
  if (body.cardinality === 'many' && body.value === undefined) {
    throw new HttpError(400, 'invalid_request', 'value: of a many-valued attribute, say which value is meant');
  }
  const [claim] = await findClaim(deps, address, body);
  const { at, value = claim?.value ?? '', ...said } = body;
  return say(deps, address, { ...said, value, saidAtMs: saidAtMsOf(deps, at), mode: 'protects' });
}

export interface LiftedAnswer {
  readonly scope: string;
  readonly lifted: number;
}

/** Lifts every protection of a claim slot. Safe to send again. */
export async function unprotectClaims(deps: CuratorDeps, scope: string, body: UnprotectBody): Promise<LiftedAnswer> {
  const { store, clock, ids } = deps;
  const address = await addressOf(deps, scope);
  const slot = slotOfBody(body, body.cardinality === 'many' ? (body.value ?? '') : undefined);
  let lifted = 0;
  for (const { slot: own, citations } of await readSlotsOfGroup(store, address, slot)) {
    for (const citation of citations.filter((one) => protects(one))) {
      const lift = liftProtection(address, citation, { nowMs: clock.nowMs(), op: ids.fresh() });
      if ((await store.write(lift)).kind === 'won') lifted++;
    }
    if (citations.length > 0) await rebuildSlot(deps, address, own, { isChanged: true });
  }
  return { scope, lifted };
}
