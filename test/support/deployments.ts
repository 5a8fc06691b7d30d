/** Deployments of one test file, closed after each test, and what is looked for in their tables again and again. */
import { afterEach } from 'vitest';
import type { Item } from '../../schema/request.ts';
import { Deployment, type DeploymentOptions } from './deployment.ts';

/** Makes deployments that are closed after the test. Called once, at the top of a file. */
export function useDeployments(): (options?: DeploymentOptions) => Deployment {
  let open: Deployment[] = [];
  afterEach(() => {
    for (const deployment of open) deployment.close();
    open = [];
  });
  return (options = {}) => {
    const deployment = new Deployment(options);
    open.push(deployment);
    return deployment;
  };
}

export function settledOf(deployment: Deployment): number {
  return deployment.evidence().filter((item) => item.state === 'settled').length;
}

/** Deliveries of all passes, each source as often as it was given to one. */
export function deliveredOf(deployment: Deployment): number {
  return deployment
    .passes()
    .reduce((sum, pass) => sum + ((pass.counters as { delivered?: number } | undefined)?.delivered ?? 0), 0);
}

export function runningOf(deployment: Deployment): Item[] {
  return deployment.passes().filter((pass) => pass.status === 'running');
}

/** Ids of the passes that still owe work. */
export function owingOf(deployment: Deployment): string[] {
  const ledger = deployment.items().find((item) => item.sk === 'LEDGER');
  return Object.keys((ledger?.passes as object | undefined) ?? {});
}

export function scopeRowOf(deployment: Deployment, scope = 's'): Item | undefined {
  return deployment.items().find((item) => item.sk === 'SCOPE' && item.scope === scope);
}
