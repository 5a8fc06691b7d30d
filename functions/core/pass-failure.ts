/**
 * Why a pass failed, in a code and a sentence of our own. What was thrown may quote what was read: providers send back what
 * they could not take. A PASS row stands for 30 days and no erasure looks into it, so no word of an error is kept: only its
 * name and the status it was answered with.
 */
import { type PassFailure, PROVIDER_AWAY } from '../../schema/pass.ts';

/** What names of errors are made of; anything else could be a sentence. */
const ERROR_NAME = /^[A-Za-z][A-Za-z0-9_]{0,58}(?:Error|Exception)$/;
const UNNAMED = 'Error';

/** The failure of a pass whose executor threw this. */
export function failureOf(error: unknown): PassFailure {
  const code = error instanceof Error && ERROR_NAME.test(error.name) ? error.name : UNNAMED;
  const status = statusOf(error);
  const answered = status === undefined ? '' : ` for an answer with status ${status}`;
  return {
    code,
    message: `the executor threw ${code}${answered}; what else it said is not kept, since it may quote a source`,
  };
}

/** The failure of a pass whose provider cannot be asked. */
export const AWAY_FAILURE: PassFailure = {
  code: PROVIDER_AWAY,
  message: 'the provider cannot be asked now; GET /v1/status tells until when',
};

/** The HTTP status that an error bears, as SDKs of providers give it. */
function statusOf(error: unknown): number | undefined {
  const { status, statusCode } = (error ?? {}) as { status?: unknown; statusCode?: unknown };
  return [statusCode, status].find(
    (one): one is number => typeof one === 'number' && Number.isInteger(one) && one >= 100 && one <= 599,
  );
}
