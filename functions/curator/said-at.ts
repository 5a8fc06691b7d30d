/** When a person said something, by what they send and by the clock. */
import { LIMITS } from '../../schema/limits.ts';
import { HttpError } from '../io/http.ts';
import type { CuratorDeps } from './deps.ts';

/** Since when it was said: now, or the time given. Throws a 400 for a time that has not come. */
export function saidAtMsOf({ clock }: Pick<CuratorDeps, 'clock'>, at: string | undefined): number {
  const nowMs = clock.nowMs();
  if (at === undefined) return nowMs;
  const saidAtMs = Date.parse(at);
  if (saidAtMs <= nowMs + LIMITS.clockAheadMaxMs) return saidAtMs;
  throw new HttpError(400, 'invalid_request', `at: ${at} has not come yet; leave it out to mean now`);
}
