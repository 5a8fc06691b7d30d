/**
 * What is written down of a tool call: which sources, which characters, how much, and never what they say. A text stands as
 * its length and hash, so that who has it can tell that it was this one.
 */
import type { Call, CallReference } from '../../schema/call-page.ts';
import { hash22, parseSourceRef, scopeSchema, sourceKeyOf } from '../../schema/ids.ts';
import { LIMITS } from '../../schema/limits.ts';
import { readInstant } from './instant.ts';

/** A result of any tool, as far as it is recorded. */
interface Answer {
  readonly items?: readonly unknown[];
  readonly refused?: readonly { readonly reason: string }[];
  readonly error?: { readonly code: string };
}

export interface ToolCall {
  readonly tool: string;
  readonly request: Readonly<Record<string, unknown>>;
  /** Of a call about several things. */
  readonly about?: readonly Readonly<Record<string, unknown>>[];
}

type Outcome = { readonly answer: Answer } | { readonly thrown: string };

export function recordOf(call: ToolCall, outcome: Outcome, { seq, atMs }: { seq: number; atMs: number }): Call {
  const answer: Answer = 'answer' in outcome ? outcome.answer : {};
  const asked = (call.about ?? []).flatMap(referenceOf);
  const given = (answer.items ?? []).flatMap(referenceOf);
  const refused = (answer.refused ?? []).map(({ reason }) => reason);
  const error = 'thrown' in outcome ? outcome.thrown : answer.error?.code;
  return {
    seq,
    tool: call.tool,
    atMs,
    arguments: argumentsOf(call.request),
    ...(asked.length > 0 && { asked: asked.slice(0, LIMITS.reviewItemsMax) }),
    ...(given.length > 0 && { given: given.slice(0, LIMITS.reviewItemsMax) }),
    ...(refused.length > 0 && { refused: refused.slice(0, LIMITS.reviewItemsMax) }),
    ...(error !== undefined && { error }),
  };
}

/** A source stands under its key, whose length is bounded; what names none is its hash. */
function nameOf(source: string): string {
  const named = parseSourceRef(source);
  return named ? sourceKeyOf({ ...named, revision: named.revision ?? '' }) : hash22(source);
}

function referenceOf(about: unknown): CallReference[] {
  const { source, start, end, from, through, text } = about as Record<string, unknown>;
  if (typeof source !== 'string') return [];
  const begin = numberOf(start) ?? numberOf(from);
  const finish = numberOf(end) ?? numberOf(through);
  const length = finish === undefined ? undefined : numberOf(finish - (begin ?? 0));
  return [
    {
      source: nameOf(source),
      ...(begin !== undefined && { start: begin }),
      ...(length !== undefined && { length }),
      ...(typeof text === 'string' && { hash: hash22(text) }),
    },
  ];
}

/** A whole number that a row can hold: what is refused for not being one leaves no trace but its refusal. */
function numberOf(value: unknown): number | undefined {
  return Number.isSafeInteger(value) ? (value as number) : undefined;
}

/**
 * What a call says besides the sources it is about: numbers, times, scopes and decisions as they are, a query by its
 * length. What else is named stands as its hash: an attention's name tells of the claim it is about.
 */
function argumentsOf(request: Readonly<Record<string, unknown>>): Call['arguments'] {
  const recorded: Record<string, string | number> = {};
  for (const [name, value] of Object.entries(request)) {
    const number = numberOf(value);
    if (number !== undefined) recorded[name] = number;
    if (typeof value !== 'string') continue;
    if (name === 'source') recorded[name] = nameOf(value);
    else if (name === 'query') recorded['queryCharacters'] = value.length;
    else if (name !== 'because') recorded[name] = isWordless(name, value) ? value : hash22(value);
  }
  return recorded;
}

const DECISIONS: readonly string[] = ['resolved', 'declined'];

function isWordless(name: string, value: string): boolean {
  if (name === 'since' || name === 'before') return readInstant(value) !== undefined;
  return name === 'scope' ? scopeSchema.safeParse(value).success : DECISIONS.includes(value);
}
