/** The HTTP routes of a deployment under a virtual clock: the real apps, without the network. */
import { createReaderApp } from '../../functions/reader/app.ts';
import { createTriggerApp } from '../../functions/trigger/routes.ts';
import { ROUTES } from '../../schema/edges.ts';
import type { Deployment } from './deployment.ts';

export interface Answer {
  readonly status: number;
  // oxlint-disable-next-line no-explicit-any -- tests read what they expect, and fail where it is not
  readonly body: any;
  readonly headers: Headers;
}

/** Which function a route of the schema leads to. */
function functionOf(method: string, path: string): string {
  const found = ROUTES.find(
    ([verb, route]) =>
      verb === method && new RegExp(`^${route.replaceAll(/\{\w+\}/g, '[^/]+').replace(/\{\w+\+\}/, '.+')}$`).test(path),
  );
  if (!found) throw new Error(`the schema has no route ${method} ${path}`);
  return found[2];
}

export interface Call {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Calls a route and moves time until it answers. */
export async function call(deployment: Deployment, route: string, { body, headers = {} }: Call = {}): Promise<Answer> {
  const [method = '', url = ''] = route.split(' ');
  const [path = ''] = url.split('?');
  const app =
    functionOf(method, path) === 'reader'
      ? createReaderApp(deployment.readerDeps())
      : createTriggerApp(deployment.triggerDeps());
  const init = { method, headers: { ...headers }, ...(body !== undefined && { body: JSON.stringify(body) }) };
  const pending = Promise.resolve(app.request(url, init));
  await deployment.quiesce({ untilMs: deployment.clock.nowMs() + 4000, stopWhen: pending });
  const response = await pending;
  return { status: response.status, body: await response.json(), headers: response.headers };
}
