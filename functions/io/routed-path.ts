/**
 * The path a request is routed by. API Gateway authorises by its own reading of the path and hands over a decoded
 * `rawPath`, in which a source's id may hold `?`, `#`, `%` or `..`; read as a URL again that would be another path, even
 * one of another scope. So the path is built anew from the route that was authorised and its decoded parameters.
 */

interface RoutedEvent {
  readonly routeKey?: string;
  readonly rawPath?: string;
  readonly pathParameters?: Readonly<Record<string, string | undefined>> | null;
}

// No encoding keeps a segment of dots from being resolved as a step in the tree.
const DOTS = /^\.{1,2}$/;
const NOWHERE = '/';

/** The event with its `rawPath` made from `routeKey` and `pathParameters`; as it is when it has no route key. */
export function withRoutedPath<E extends RoutedEvent>(event: E): E {
  const route = /^[A-Z]+ (\/.*)$/.exec(event.routeKey ?? '')?.[1];
  if (route === undefined) return event;
  const parameters = event.pathParameters ?? {};
  if (Object.values(parameters).some((value) => value !== undefined && DOTS.test(value))) {
    return { ...event, rawPath: NOWHERE };
  }
  const rawPath = route.replaceAll(/\{([A-Za-z0-9]+)\+?\}/g, (_, name: string) =>
    encodeURIComponent((parameters[name] ?? '').toWellFormed()),
  );
  return { ...event, rawPath };
}
