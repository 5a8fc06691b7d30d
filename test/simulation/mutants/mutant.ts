/** What a mutant may replace: a decision, or what one actor's store does. Shipped code has no switch for it. */
import type { Store } from '../../../functions/io/ports.ts';
import type { Outcome, Write } from '../../../schema/request.ts';
import type { SettingOverrides } from '../../../schema/settings.ts';
import { clausesOf, withoutClause } from '../../support/without-clause.ts';
import type { Actor } from '../engine/actor.ts';
import type { Plan } from '../plans/plan.ts';
import type { Decisions, World } from '../engine/world.ts';
import type { SlowWrite } from '../engine/slow-writes.ts';
import { nameOfWrite } from '../engine/write-name.ts';

export interface Mutant {
  readonly name: string;
  /** What is taken out, in a sentence. */
  readonly replaces: string;
  /** The invariants that may catch it, as the store's checks name them. */
  readonly caughtBy: readonly string[];
  /** Schedules, from the first seed on, within which it must be caught. */
  readonly within: number;
  readonly decide?: Partial<Decisions>;
  /** Answers the store to use instead, or undefined to leave this actor alone. */
  readonly wrapStore?: (store: Store, actor: Actor, world: World) => Store | undefined;
  /** Answers the deployment's settings that an execution uses, in place of those it was started with. */
  readonly startWith?: (settings: SettingOverrides, world: World) => SettingOverrides;
  /** A directed scenario: what has to be so for the layer behind the mutated one not to mask it. */
  readonly direct?: (plan: Plan) => Plan;
  /** Writes that are long on their way there. */
  readonly slow?: readonly SlowWrite[];
}

type Sent = (write: Write) => Promise<Outcome>;

/** A store whose writes go through `send` first; reads stay as they are. */
export function onWrite(store: Store, send: (write: Write, name: string, pass: Sent) => Promise<Outcome>): Store {
  const pass: Sent = (write) => store.write(write);
  return {
    write: (write) => send(write, nameOfWrite(write), pass),
    get: (read) => store.get(read),
    query: (read) => store.query(read),
    batchGet: (read) => store.batchGet(read),
  };
}

/** The same with the writes of one builder rewritten. */
export function rewriting(name: string | RegExp, rewrite: (write: Write) => Write): NonNullable<Mutant['wrapStore']> {
  const isMeant = (found: string): boolean => (typeof name === 'string' ? found === name : name.test(found));
  return (store) => onWrite(store, (write, found, pass) => pass(isMeant(found) ? rewrite(write) : write));
}

/** Without whichever of the clauses it has. */
export function without(...gone: readonly string[]): (write: Write) => Write {
  return (write) =>
    clausesOf(write)
      .filter((clause) => gone.includes(clause))
      .reduce(withoutClause, write);
}

/** A directed scenario: these faults besides those drawn. */
export const storm =
  (faults: Plan['faults'], more: Partial<Plan> = {}) =>
  (plan: Plan): Plan => ({ ...plan, ...more, faults: { ...plan.faults, ...faults } });
