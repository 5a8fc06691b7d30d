import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Started first wherever no earlier run tells how long each takes: one of them last would leave a core idle. */
const LONGEST = [
  'simulation/mutants/mutants.test.ts',
  'simulation/schedule.test.ts',
  'infra/local/start.test.ts',
  'infra/local/acceptance.test.ts',
  'infra/local/fault-mix.test.ts',
  'infra/local/odd-files.test.ts',
  'simulation/themes.test.ts',
  'simulation/claims/claims.test.ts',
  'functions/ten-thousand.test.ts',
  'functions/worker/executor/rules/extract.test.ts',
  'core/door-time.test.ts',
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // Those that share a process come last and in one row: a process is only kept for a next file of its kind.
    const rankOf = ({ project, moduleId }: TestSpecification): number => {
      const place = LONGEST.findIndex((name) => moduleId.endsWith(name));
      return (project.config.isolate ? 0 : LONGEST.length + 1) + (place < 0 ? LONGEST.length : place);
    };
    return (await super.sort(files)).sort((a, b) => rankOf(a) - rankOf(b));
  }
}

/** Tests of code that keeps nothing: they share a process and the modules in it, which saves a third of their time. */
const SHARED = ['test/core/**/*.test.ts', 'test/functions/**/*.test.ts', 'test/schema/**/*.test.ts'];
/** What changes modules, timers, globals or the environment is alone in its process. */
const CHANGES_PROCESS = /\bvi\.|process\.env\[[^\]]+\] = /;
const root = path.join(import.meta.dirname, '..');
const shared = globSync(SHARED, { cwd: root })
  .filter((file) => !CHANGES_PROCESS.test(readFileSync(path.join(root, file), 'utf8')))
  .map((file) => file.replaceAll(path.sep, '/'));

export default defineConfig({
  test: {
    // Two processes: CI and a developer's laptop have at least two cores, and the runtime's own threads need the rest.
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 30_000,
    sequence: { sequencer: LongestFirst },
    projects: [
      { extends: true, test: { name: 'alone', include: ['test/**/*.test.ts'], exclude: shared } },
      { extends: true, test: { name: 'shared', isolate: false, include: shared } },
    ],
  },
});
