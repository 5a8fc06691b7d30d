/**
 * What callers who do not read the manual send to the routes that write, and the codes with which it may be refused: of what
 * is not there, or not so. Which of several comes first depends on what stands: a scope that nobody fed is unknown.
 */
import { importMemory } from '../../../functions/curator/import-memory.ts';
import { mergeEntities, unmergeEntities } from '../../../functions/curator/merge.ts';
import { repairHeads } from '../../../functions/curator/repair.ts';
import { correctClaim, protectClaim, retractClaim } from '../../../functions/curator/state-claim.ts';
import { undoPass, withdraw } from '../../../functions/curator/withdraw.ts';
import { liftErasures } from '../../../functions/eraser/lift.ts';
import { HttpError, parseOr400 } from '../../../functions/io/http.ts';
import { cancel } from '../../../functions/trigger/cancel.ts';
import { requeueClass } from '../../../functions/trigger/requeue-class.ts';
import { requeue } from '../../../functions/trigger/requeue.ts';
import { requestLook } from '../../../functions/trigger/run.ts';
import { changeLiveSettings, changeScopeSettings } from '../../../functions/trigger/switches.ts';
import { requeueClassBodySchema } from '../../../schema/api.ts';
import { liftBodySchema } from '../../../schema/erasure-api.ts';
import {
  correctBodySchema,
  mergeBodySchema,
  protectBodySchema,
  retractBodySchema,
  withdrawBodySchema,
} from '../../../schema/memory-api.ts';
import { claim, MALFORMED } from './sloppy-bodies.ts';
import { curator, eraser, HALF, LONG, operator, type SloppyCall } from './sloppy-call.ts';
import { ODD_IMPORTS } from './sloppy-lines.ts';
import { SLOPPY_SOURCES } from './sloppy-sources.ts';

const invalid = ['invalid_request'];

const ODD_SETTINGS = [
  { maxPassesPerScope: 0 },
  { maxPassesPerScope: 17 },
  { maxPassesPerScope: '3' },
  { passTimeoutMs: 1.5, pageSources: 51, budgetCents: -1 },
  { maxPasses: 2 },
  { maxPasses: 2, pageSources: 0, Model: 'large' },
  null,
  [],
  'maxPassesPerScope=2',
];

/** Well-formed, and of what is not there or not so. */
const WRONG: readonly SloppyCall[] = [
  {
    name: 'settings out of range',
    role: 'operator',
    codes: ['invalid_settings'],
    send: (asking) =>
      asking.random.chance(0.5)
        ? changeLiveSettings(operator(asking), asking.random.pick(ODD_SETTINGS))
        : changeScopeSettings(operator(asking), asking.scope, asking.random.pick(ODD_SETTINGS)),
  },
  {
    name: "a deployment's setting of one scope",
    role: 'operator',
    codes: ['invalid_settings'],
    send: (asking) =>
      changeScopeSettings(operator(asking), asking.scope, { maxPassesPerScope: 2, maxConcurrentPasses: 3 }),
  },
  {
    name: 'a pass that is none',
    role: 'operator',
    codes: ['not_found', 'invalid_request'],
    send: (asking) => cancel(operator(asking), asking.scope, asking.random.pick(['', 'no pass', `p${HALF}`, LONG])),
  },
  {
    name: 'a source that is none, requeued',
    role: 'operator',
    codes: ['not_found', 'not_requeueable', 'source_erased'],
    send: (asking) => {
      const { random, scope } = asking;
      const named = random.pick([{ id: 'nothing' }, { id: 's0', revision: 'f'.repeat(16) }, { id: 'odd' }]);
      return requeue(operator(asking), scope, { kind: 'note', ...named });
    },
  },
  {
    name: 'a class requeued from nowhere',
    role: 'operator',
    codes: ['invalid_cursor', 'not_found'],
    send: (asking) => {
      const body = { class: 'broke_off', cursor: asking.random.pick(['AAAA', 'eyJ4Ijoi']) };
      return requeueClass(operator(asking), asking.scope, parseOr400(requeueClassBodySchema, body, 'body'));
    },
  },
  {
    name: 'an event that is no time',
    role: 'curator',
    codes: ['invalid_request', 'unknown_scope'],
    send: (asking) => {
      const { random, scope } = asking;
      const event = random.pick([
        'soon',
        '0000',
        '2024-13',
        '2024-02-30',
        '2024-00-01',
        '2024-05-01T25:00Z',
        '24-5-1',
        '',
      ]);
      return correctClaim(curator(asking), scope, correctBodySchema.parse({ ...claim, value: 'north', event }));
    },
  },
  {
    name: 'a plan that protects',
    role: 'curator',
    codes: ['invalid_request', 'unknown_scope'],
    send: (asking) => {
      const event = asking.random.pick(['2099', '2099-05', '2099-05-01', '2099-05-01T10:00Z', '2099-05-01T10:00:00Z']);
      return correctClaim(curator(asking), asking.scope, correctBodySchema.parse({ ...claim, value: 'moon', event }));
    },
  },
  {
    name: 'said in the future',
    role: 'curator',
    codes: ['invalid_request', 'unknown_scope', 'not_found'],
    send: (asking) => {
      const body = { ...claim, value: 'north', at: '2099-01-01T00:00:00Z' };
      return asking.random.chance(0.5)
        ? correctClaim(curator(asking), asking.scope, correctBodySchema.parse(body))
        : retractClaim(curator(asking), asking.scope, retractBodySchema.parse({ ...body, value: 'Mars' }));
    },
  },
  {
    name: 'a claim that nobody made',
    role: 'curator',
    codes: ['not_found', 'unknown_scope', 'invalid_request'],
    send: (asking) => {
      const { random, scope } = asking;
      const cardinality = random.pick(['one', 'many'] as const);
      const body = { ...claim, cardinality, value: random.pick(['Mars', '']), attribute: 'never' };
      return random.pick([
        () => retractClaim(curator(asking), scope, retractBodySchema.parse(body)),
        () => protectClaim(curator(asking), scope, protectBodySchema.parse(body)),
        () => protectClaim(curator(asking), scope, protectBodySchema.parse({ ...claim, cardinality: 'many' })),
        () => withdraw(curator(asking), scope, withdrawBodySchema.parse({ ...body, citation: 'nothing' })),
      ])();
    },
  },
  {
    name: 'names that are no two entities',
    role: 'curator',
    codes: ['invalid_request', 'not_found', 'unknown_scope'],
    send: (asking) => {
      const { random, scope } = asking;
      return random.chance(0.5)
        ? mergeEntities(curator(asking), scope, mergeBodySchema.parse({ from: 'Ann', into: 'ANN ' }))
        : unmergeEntities(curator(asking), scope, mergeBodySchema.parse({ from: 'Nobody', into: 'No one' }));
    },
  },
  {
    name: 'a pass that is none, undone',
    role: 'curator',
    codes: invalid,
    send: (asking) => {
      const { random, scope } = asking;
      const [passId, cursor] = random.pick([
        ['no pass', undefined],
        [LONG, undefined],
        ['p', 'nonsense'],
      ] as const);
      return undoPass(curator(asking), scope, { passId, cursor });
    },
  },
  {
    name: 'a cursor that is none',
    role: 'curator',
    codes: ['invalid_request', 'invalid_cursor', 'unknown_scope'],
    send: (asking) => repairHeads(curator(asking), asking.scope, { cursor: asking.random.pick(['AAAA', 'AP__', '%']) }),
  },
  {
    name: 'lines that are no memory',
    role: 'curator',
    codes: ['no_memory_lines', 'too_many_lines'],
    send: (asking) => {
      const { random, scope } = asking;
      const lines = random.chance(0.1) ? '{}\n'.repeat(501) : random.pick(ODD_IMPORTS).line;
      return importMemory(curator(asking), scope, lines);
    },
  },
  {
    name: 'what was never erased, lifted',
    role: 'eraser',
    codes: ['not_found', 'unknown_scope'],
    send: (asking) => {
      const { random, scope } = asking;
      const body = random.pick([
        { source: { kind: 'note', id: 'never sent' } },
        { hash: 'a'.repeat(22) },
        { claim: { ...claim, value: 'Mars' } },
      ]);
      return liftErasures(eraser(asking), scope, parseOr400(liftBodySchema, body, 'body'));
    },
  },
  {
    name: 'a kind of pass that there is not',
    role: 'trigger',
    codes: ['unknown_kind', 'idempotency_key_reused'],
    send: async (asking) => {
      const { random, scope } = asking;
      const idempotencyKey = random.pick([undefined, 'sloppy-key']);
      const kind = random.pick(['novel', '', 'exclusive']);
      const request = { scope, origin: 'trigger', kind, ...(idempotencyKey && { idempotencyKey }) } as const;
      const { status, body } = await requestLook(operator(asking), request);
      // A refusal by shape: its route answers it as an error.
      const [first] = body.refused ?? [];
      if (status !== 202 && first) throw new HttpError(status, first.reason, first.message);
    },
  },
];

/** What is refused, all of it. */
export const SLOPPY_CALLS: readonly SloppyCall[] = [...MALFORMED, ...WRONG, ...SLOPPY_SOURCES];
