/** One call of somebody who does not read the manual. */
import type { Actor, FunctionRole } from '../engine/actor.ts';
import type { Edges } from '../engine/edges.ts';
import type { Random } from '../engine/random.ts';
import type { World } from '../engine/world.ts';

/** Who asks, and of what. */
export interface Asking {
  readonly world: World;
  readonly edges: Edges;
  readonly actor: Actor;
  readonly scope: string;
  readonly random: Random;
}

export interface SloppyCall {
  readonly name: string;
  readonly role: FunctionRole;
  /** With one of these it is refused. */
  readonly codes: readonly string[];
  /** Sends it. A refusal is thrown as an HttpError. */
  readonly send: (asking: Asking) => Promise<unknown>;
}

export const curator = ({ world, actor }: Asking) => world.curatorDeps(actor);
export const operator = ({ world, edges, actor }: Asking) => world.triggerDeps(actor, edges.triggersOf(actor));
export const eraser = ({ world, actor }: Asking) => world.eraserDeps(actor);
export const reader = ({ world, actor }: Asking) => world.readerDeps(actor);
export const ingest = ({ world, actor }: Asking) => world.ingestDeps(actor);

/** Longer than any name, value or reason may be. */
export const LONG = 'long '.repeat(300);
export const HALF = '\ud83d';
