/**
 * Bounds turned so that a schedule of minutes reaches what takes hours: back-off is capped at five minutes, an empty scope
 * is looked at again after two and one with stalled evidence alone after four, a provider is asked again after one, and a LEASE row's life is drawn. They are numbers of
 * `schema/limits.ts`, set in this process alone; their relations must hold with them too.
 */
import { relations } from '../../../schema/limit-relations.ts';
import { LIMITS } from '../../../schema/limits.ts';
import type { PlannedFragments } from '../plans/fragment-plan.ts';
import { SOURCE_CHARACTERS_MAX, UPLOAD_BYTES_MAX } from '../plans/upload-plan.ts';

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const limits = LIMITS as { -readonly [Name in keyof typeof LIMITS]: number };

/** 2.5 minutes doubled at most once. */
export const BACK_OFF_CAP_MS = 5 * MINUTE_MS;
export const EMPTY_PROBE_AGAIN_MS = 2 * MINUTE_MS;

const { retriesPerHourMax, retryExponentMax } = LIMITS;
const { sourceCharactersMax, uploadBytesMax, uploadSliceBytes, uploadSlicesPerReadMax } = LIMITS;
/** What fills no page, part or answer in a schedule of small texts. */
const LARGE = {
  pageMin: LIMITS.pageCharactersMin,
  overlap: LIMITS.overlapCharacters,
  textPart: LIMITS.textPartCharacters,
  excerpt: LIMITS.lookUpExcerptCharacters,
  result: LIMITS.lookUpResultCharacters,
};

interface Turned {
  readonly leasePageKeepMs: number;
  readonly poison: { readonly retriesPerHour: number | undefined } | undefined;
  readonly fragments: PlannedFragments | undefined;
  readonly ingests: readonly { readonly upload?: unknown }[];
}

export function turnKnobs({ leasePageKeepMs, poison, fragments, ingests }: Turned): void {
  // What breaks off its passes is given up after it has waited several times: shorter where there is such a text.
  limits.backOffBaseMs = poison ? 20 * SECOND_MS : BACK_OFF_CAP_MS / 2;
  limits.retryExponentMax = poison ? 2 : retryExponentMax;
  limits.retriesPerHourMax = poison?.retriesPerHour ?? retriesPerHourMax;
  limits.backOffExponentMax = 1;
  limits.emptyProbeAgainMs = EMPTY_PROBE_AGAIN_MS;
  limits.maxIntervalMs = 4 * MINUTE_MS;
  limits.providerAwayMs = MINUTE_MS;
  limits.leasePageKeepMs = leasePageKeepMs;
  const little = fragments ?? LARGE;
  limits.pageCharactersMin = little.pageMin;
  limits.overlapCharacters = little.overlap;
  limits.textPartCharacters = little.textPart ?? LARGE.textPart;
  limits.lookUpExcerptCharacters = little.excerpt;
  limits.lookUpResultCharacters = little.result;
  // Parts of some hundred bytes stand in several rows, and what is too large is small enough to be sent.
  const inParts = ingests.some(({ upload }) => upload !== undefined);
  limits.sourceCharactersMax = inParts ? SOURCE_CHARACTERS_MAX : sourceCharactersMax;
  limits.uploadBytesMax = inParts ? UPLOAD_BYTES_MAX : uploadBytesMax;
  limits.uploadSliceBytes = inParts ? 64 : uploadSliceBytes;
  limits.uploadSlicesPerReadMax = inParts ? 3 : uploadSlicesPerReadMax;
  const broken = relations(LIMITS).find(([, holds]) => !holds);
  if (broken) throw new Error(`the knobs of the simulation break a relation of limits.ts: ${broken[0]}`);
}
