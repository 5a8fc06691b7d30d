import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROUTES, SOURCE_ENDINGS } from '../schema/edges.ts';
import { PARAMETERS } from '../schema/environment.ts';
import { SETTING_NAMES, SETTING_RANGES } from '../schema/settings.ts';

/** Pages that say things of the code which can drift: each statement here is held against the code. */
const ROOT = path.resolve(import.meta.dirname, '..');
const PAGES = [
  'README.md',
  'schema/README.md',
  'infra/README.md',
  'infra/local/README.md',
  'functions/README.md',
  'functions/worker/executor/rules/README.md',
  'test/simulation/README.md',
];

const read = (page: string) => readFileSync(path.join(ROOT, page), 'utf8');

interface SettingRow {
  readonly name: string;
  readonly default: number;
  readonly min: number;
  readonly max: number;
}

function settingRows(text: string): SettingRow[] {
  return [...text.matchAll(/^\| `(\w+)` *\| (\d+) *\| (\d+)–(\d+) *\|/gm)].map(([, name = '', ...numbers]) => {
    const [byDefault = Number.NaN, min = Number.NaN, max = Number.NaN] = numbers.map(Number);
    return { name, default: byDefault, min, max };
  });
}

/** Routes a page names that the API does not have. */
function unknownRoutes(text: string, routes: readonly string[]): string[] {
  const named = [...text.matchAll(/`(GET|POST|PUT|PATCH|DELETE) (\/v1\/[^`?]*)`/g)].map(
    ([, method, route]) => `${method} ${route}`,
  );
  const shape = (route: string) => route.replaceAll(/\{[^}]*\}/g, '{}');
  const known = new Set(routes.map(shape));
  return named.filter((route) => !known.has(shape(route)));
}

/** npm scripts a page tells to run that package.json does not have. */
function unknownScripts(text: string, scripts: readonly string[]): string[] {
  const named = [...text.matchAll(/npm run ([a-z:-]+)/g)].map(([, script = '']) => script);
  return [...new Set(named)].filter((script) => !scripts.includes(script));
}

function brokenLinks(page: string, text: string): string[] {
  const links = [...text.matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)].map(([, link = '']) => link);
  return links.filter((link) => !existsSync(path.join(ROOT, path.dirname(page), link)));
}

describe('README.md', () => {
  const text = read('README.md');

  it('lists every setting with its default and range', () => {
    const expected = SETTING_NAMES.map((name) => {
      const { default: byDefault, min, max } = SETTING_RANGES[name];
      return { name, default: byDefault, min, max };
    });
    expect(settingRows(text)).toEqual(expected);
  });

  it('names the deployment’s parameters', () => {
    for (const { name } of Object.values(PARAMETERS)) expect(text).toContain(`\`${name}\``);
  });

  it('would not pass with a wrong number', () => {
    expect(settingRows('| `pageSources` | 21 | 1–50 | x |')).toEqual([
      { name: 'pageSources', default: 21, min: 1, max: 50 },
    ]);
  });
});

/** Every route: those of the API, and those whose end a function reads itself. */
const KNOWN_ROUTES = [
  ...ROUTES.map(([method, route]) => `${method} ${route}`),
  ...Object.entries(SOURCE_ENDINGS).map(([name, { method, ending }]) => {
    const kind = name === 'turns' ? 'transcript' : '{kind}';
    return `${method} /v1/scopes/{scope}/sources/${kind}/{id}${ending}`;
  }),
];

describe.each(PAGES.filter((page) => existsSync(path.join(ROOT, page))))('%s', (page) => {
  const text = read(page);
  const scripts = Object.keys((JSON.parse(read('package.json')) as { scripts: object }).scripts);

  it('names only routes, scripts and files that exist', () => {
    expect(unknownRoutes(text, KNOWN_ROUTES)).toEqual([]);
    expect(unknownScripts(text, scripts)).toEqual([]);
    expect(brokenLinks(page, text)).toEqual([]);
  });
});

describe('the checks themselves', () => {
  it('find what does not exist', () => {
    expect(unknownRoutes('`GET /v1/nothing/{x}`', ['GET /v1/status'])).toEqual(['GET /v1/nothing/{x}']);
    expect(unknownScripts('npm run nonsense', ['test'])).toEqual(['nonsense']);
    expect(brokenLinks('README.md', '[x](no/such/file.md)')).toEqual(['no/such/file.md']);
  });
});
