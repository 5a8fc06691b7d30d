/** Goal: nobody forgets that there may be more pools than one. Method: reads the code of the functions. */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

describe('whoever names a place that depends on the pool', () => {
  const BUILDERS =
    /\b(markScopeDue|serveScope|deferScope|noteEmptyProbe|idleScope|countOutcome|pauseScope|resumeScope|setScopeSettings|moveGeneration|queryDueScopes|queryParkedScopes|admitPasses|removeFromLedger|outdatePlans|getLedger|proveProvider|noteProviderAway)\(/;
  const FUNCTIONS = new URL('../../functions/', import.meta.url);
  const files = readdirSync(FUNCTIONS, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => [name, readFileSync(new URL(name, FUNCTIONS), 'utf8')] as const);

  it('knows how many there are', () => {
    const forgetful = files.filter(([, text]) => BUILDERS.test(text) && !/\bpool\b/.test(text)).map(([name]) => name);
    expect(forgetful).toEqual([]);
    expect(files.filter(([, text]) => BUILDERS.test(text)).length).toBeGreaterThan(8);
  });

  it('is told so by its handler', () => {
    const handlers = files.filter(([name]) => name.endsWith('/handler.ts'));
    expect(handlers.filter(([, text]) => !text.includes('readPoolCount(')).map(([name]) => name)).toEqual([]);
  });
});
