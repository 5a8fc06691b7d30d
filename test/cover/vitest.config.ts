import { defineConfig, mergeConfig } from 'vitest/config';
import shared from '../vitest.config.ts';

export default mergeConfig(
  shared,
  defineConfig({
    test: {
      setupFiles: ['test/cover/write-coverage.ts'],
      // Node itself strips the types and keeps every place in the text, so that what V8 counts needs no source map.
      experimental: { viteModuleRunner: false },
    },
  }),
);
