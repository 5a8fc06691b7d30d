/** The routes of the template's HTTP API, and which of them answers a request. */
import { readNumber, readText } from './properties.ts';
import { parseFunctionReference, type Resource } from './template.ts';

export interface Route {
  readonly routeKey: string;
  readonly functionName: string;
  readonly qualifier: string | undefined;
  /** `AWS_IAM`, `NONE`, ... as the template says. */
  readonly authorizationType: string;
  readonly timeoutMs: number;
  readonly method: string;
  readonly segments: readonly Segment[];
}

export interface RouteMatch {
  readonly route: Route;
  /** Decoded. */
  readonly pathParameters: Readonly<Record<string, string>>;
}

interface Segment {
  readonly kind: 'static' | 'parameter' | 'greedy';
  /** The text of a static segment, the name of a parameter. */
  readonly text: string;
}

/** AWS's default and largest integration timeout. */
const INTEGRATION_TIMEOUT_MS = 30_000;
const ANY = 'ANY';
const DEFAULT_ROUTE = '$default';
const SPECIFICITY = { static: 0, parameter: 1, greedy: 2 } as const;

/** Reads the routes, the most specific first. Throws for an integration that is not a function with payload format 2.0. */
export function readRoutes(routes: readonly Resource[], integrations: readonly Resource[]): Route[] {
  const byRef = new Map(integrations.map((integration) => [integration.ref, integration]));
  return routes.map((route) => readRoute(route, byRef)).toSorted(compareSpecificity);
}

/** The route that answers a request: a static segment goes before a parameter, that before a greedy one, a method before ANY. */
export function matchRoute(routes: readonly Route[], method: string, path: string): RouteMatch | undefined {
  const parts = path.split('/').slice(1);
  for (const route of routes) {
    if (route.method !== ANY && route.method !== method) continue;
    const pathParameters = matchSegments(route.segments, parts);
    // The catch-all route names none.
    if (pathParameters !== undefined)
      return { route, pathParameters: route.routeKey === DEFAULT_ROUTE ? {} : pathParameters };
  }
  return undefined;
}

function readRoute(route: Resource, integrations: ReadonlyMap<string, Resource>): Route {
  const routeKey = readText(route, 'RouteKey');
  const target = readText(route, 'Target').replace(/^integrations\//, '');
  const integration = integrations.get(target);
  if (integration === undefined)
    throw new Error(`Route ${route.logicalId} (${routeKey}) has no integration ${target} in the template.`);
  const version = readText(integration, 'PayloadFormatVersion');
  if (version !== '2.0') {
    throw new Error(`Integration ${integration.logicalId} has payload format ${version}; only 2.0 is emulated.`);
  }
  const uri = readText(integration, 'IntegrationUri');
  // Either the function's own ARN, or API Gateway's path around it.
  const { name, qualifier } = parseFunctionReference(uri.replace(/^.*\/functions\//, '').replace(/\/invocations$/, ''));
  const [method = ANY, path = ''] = routeKey === DEFAULT_ROUTE ? [ANY, '/{proxy+}'] : routeKey.split(' ');
  return {
    routeKey,
    functionName: name,
    qualifier,
    authorizationType: readText(route, 'AuthorizationType', 'NONE'),
    timeoutMs: readNumber(integration, 'TimeoutInMillis', INTEGRATION_TIMEOUT_MS),
    method,
    segments: path.split('/').slice(1).map(readSegment),
  };
}

function readSegment(text: string): Segment {
  const parameter = /^\{(.+?)(\+?)\}$/.exec(text);
  if (parameter?.[1] === undefined) return { kind: 'static', text };
  return { kind: parameter[2] === '+' ? 'greedy' : 'parameter', text: parameter[1] };
}

function matchSegments(segments: readonly Segment[], parts: readonly string[]): Record<string, string> | undefined {
  const parameters: Record<string, string> = {};
  for (const [position, { kind, text }] of segments.entries()) {
    const part = parts[position];
    if (kind === 'greedy') {
      if (part === undefined) return undefined;
      parameters[text] = decode(parts.slice(position).join('/'));
      return parameters;
    }
    if (part === undefined || (kind === 'static' ? part !== text : part === '')) return undefined;
    if (kind === 'parameter') parameters[text] = decode(part);
  }
  return segments.length === parts.length ? parameters : undefined;
}

function compareSpecificity(a: Route, b: Route): number {
  if ((a.routeKey === DEFAULT_ROUTE) !== (b.routeKey === DEFAULT_ROUTE)) return a.routeKey === DEFAULT_ROUTE ? 1 : -1;
  for (let position = 0; position < Math.max(a.segments.length, b.segments.length); position += 1) {
    const [one, other] = [a.segments[position]?.kind ?? 'static', b.segments[position]?.kind ?? 'static'];
    if (one !== other) return SPECIFICITY[one] - SPECIFICITY[other];
  }
  return Number(a.method === ANY) - Number(b.method === ANY);
}

/** A path that is not valid percent-encoding is passed on as it came. */
export function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
