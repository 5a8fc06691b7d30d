/**
 * What follows a source's id in the path. An id may hold slashes, and API Gateway takes a parameter of many segments at
 * the end of a route only, so the end of the path is read here; the last words decide, whatever the id holds.
 */
import type { Context } from 'hono';
import { SOURCE_ENDINGS } from '../../schema/edges.ts';
import { sha256Schema, sourceIdSchema, type SourceKind, sourceKindSchema } from '../../schema/ids.ts';
import { LIMITS } from '../../schema/limits.ts';
import { HttpError, parseOr400, scopeOf } from '../io/http.ts';

export interface SourcePath {
  readonly scope: string;
  readonly kind: SourceKind;
  readonly id: string;
  /** The parameters of the ending. */
  readonly rest: Readonly<Record<string, string>>;
}

type EndingName = keyof typeof SOURCE_ENDINGS;

const PATTERNS = Object.fromEntries(
  Object.entries(SOURCE_ENDINGS).map(([name, { ending }]) => [
    name,
    new RegExp(`^(?<id>.+)${ending.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`, 's'),
  ]),
) as Record<EndingName, RegExp>;

/** Reads a path that ends so; undefined when it does not. */
export function readSourcePath(c: Context, name: EndingName): SourcePath | undefined {
  const groups = PATTERNS[name].exec(c.req.param('id') ?? '')?.groups;
  if (groups === undefined) return undefined;
  const { id, ...rest } = groups;
  return {
    scope: scopeOf(c),
    kind: parseOr400(sourceKindSchema, c.req.param('kind'), 'kind in the path'),
    id: parseOr400(sourceIdSchema, id, 'id in the path'),
    rest,
  };
}

export function sha256In({ rest }: SourcePath): string {
  return parseOr400(sha256Schema, rest.sha256, 'sha256 in the path');
}

/** The number of a part, counted from 0. */
export function partIn({ rest }: SourcePath): number {
  const part = /^\d{1,5}$/.test(rest.part ?? '') ? Number(rest.part) : Number.NaN;
  if (part < LIMITS.uploadPartsMax) return part;
  const message = `part in the path: it is a whole number from 0 to ${LIMITS.uploadPartsMax - 1}`;
  throw new HttpError(400, 'invalid_request', message);
}
