/**
 * What no route is: answered in the one error shape, and never by an app. The gateway hands such a request to its
 * catch-all route, and so to the reader, authorised for that and for no scope; its path is decoded, so that read as a route
 * it could be one of any scope.
 */
import { FALLBACK, ROUTES } from '../../schema/edges.ts';
import type { ApiError } from '../../schema/api.ts';
import { serveApp } from '../io/http.ts';

interface UnroutedEvent {
  readonly routeKey?: string;
  readonly rawPath?: string;
  readonly requestContext?: { readonly http?: { readonly method?: string } };
}

interface RefusedRoute {
  readonly statusCode: 404 | 405;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** `{scope}` is one segment of a path, `{id+}` all the rest. */
function isAt(route: string, path: string): boolean {
  const segments = route.split('/');
  const parts = path.split('/');
  const isGreedy = route.endsWith('+}');
  if (isGreedy ? parts.length < segments.length : parts.length !== segments.length) return false;
  return segments.every((segment, at) => (segment.startsWith('{') ? parts[at] !== '' : segment === parts[at]));
}

/** The answer to an event of the catch-all route; undefined for one of a route of its own. */
function refuseUnrouted(event: UnroutedEvent): RefusedRoute | undefined {
  if (event.routeKey !== FALLBACK.routeKey) return undefined;
  const path = event.rawPath ?? '';
  const method = event.requestContext?.http?.method ?? '';
  const methods = [...new Set(ROUTES.filter(([, route]) => isAt(route, path)).map(([verb]) => verb))];
  // One that takes the method was met by its decoded path alone: as it was sent it is no route.
  const isKnown = methods.length > 0 && !methods.some((verb) => verb === method);
  const code = isKnown ? 'method_not_allowed' : 'not_found';
  const message = isKnown
    ? `${path} does not take ${method}; it takes ${methods.join(', ')}`
    : `no such route: ${method} ${path}`;
  const body: ApiError = { error: { code, message } };
  return {
    statusCode: isKnown ? 405 : 404,
    headers: { 'content-type': 'application/json', ...(isKnown && { allow: methods.join(', ') }) },
    body: JSON.stringify(body),
  };
}

/** The Lambda handler of the reader: its app answers what came by a route. */
export function serveReader(...parts: Parameters<typeof serveApp>): ReturnType<typeof serveApp> {
  const respond = serveApp(...parts);
  return async (event, context) => refuseUnrouted(event) ?? respond(event, context);
}
