/** What must not be named where: clocks, chance and environment; conditions; empty names; and what is no text of ours. */
import { findAll, isFunction, isIo, isSchema, isStack, type Rule } from './rule.ts';
import { lineOf, type SourceFile } from './source-file.ts';

const WORLD = new RegExp(
  [
    String.raw`\bDate\.now\b`,
    String.raw`\bnew Date\(\s*\)`,
    String.raw`\bMath\.random\b`,
    String.raw`\brandomUUID\b`,
    String.raw`\bgetRandomValues\b`,
    String.raw`\bprocess\.\w+`,
    String.raw`\bconsole\.`,
    String.raw`\bperformance\.`,
    String.raw`\bset(?:Timeout|Interval|Immediate)\(`,
  ].join('|'),
  'g',
);

/** Names that say nothing: whatever stands behind them has a better one. */
const EMPTY_FILE = /^(?:utils?|helpers?|managers?|commons?|misc|data)$/;
const EMPTY_NAME =
  /\b(?:function|class|const|let|interface|type)\s+(\w*?(?:[uU]til|[hH]elper|[mM]anager|[cC]ommon)(?:s\b|[A-Z]\w*|\b))/g;

// Written in pieces, so that the words do not stand in this file themselves.
const LATER = new RegExp(`\\b(?:${['TO' + 'DO', 'FIX' + 'ME', 'XX' + 'X'].join('|')})\\b`, 'g');
const MACHINE = new RegExp(
  [
    `(?<![\\w.*}])/(?:${['wo' + 'rk', 'ro' + 'ot', 'ho' + 'me/\\w+', 'Us' + 'ers/\\w+', 'tm' + 'p/plan'].join('|')})/`,
    ['tm' + 'p', 'plan'].join('/'),
    `\\bregistry\\.[a-z0-9-]+\\.\\w+|\\bnpmjs\\.(?:org|com)`,
    `\\b${'help' + 'er'}[ -]${'sess' + 'ion'}s?\\b`,
  ].join('|'),
  'gi',
);

const nameOf = ({ path }: SourceFile) => path.slice(path.lastIndexOf('/') + 1);

export const WORD_RULES: readonly Rule[] = [
  {
    name: 'clock, chance, environment and stdout occur only in functions/io',
    remedy: 'take the time or the id as an argument, or through the ports',
    bad: [
      ['functions/core/a.ts', 'const a = Date.now();\n'],
      ['functions/worker/run.ts', 'const a = new Date();\n'],
      ['schema/a.ts', 'const a = randomUUID();\n'],
      ['functions/worker/run.ts', 'console.log(`at ${Math.random()}`);\n'],
      ['functions/worker/run.ts', 'const { A } = process.env;\n'],
      ['functions/worker/run.ts', 'await new Promise((done) => setTimeout(done, 5));\n'],
    ],
    good: [
      ['functions/io/clock.ts', 'const a = Date.now();\n'],
      ['functions/core/a.ts', "// Date.now() is for io\nconst a = new Date(nowMs);\nconst b = 'console.log';\n"],
      ['infra/local/a.ts', 'const a = Date.now();\n'],
    ],
    find: (file) => ((isSchema(file) || isFunction(file)) && !isIo(file) ? findAll(file.code, WORLD) : []),
  },
  {
    name: 'conditions and updates are written only in schema/',
    remedy: 'add a builder to schema/, with its row in schema/README.md and its negative twins',
    bad: [
      ['functions/worker/run.ts', "const input = { ConditionExpression: 'a = :b' };\n"],
      ['infra/stack.ts', "const input = { UpdateExpression: 'SET a = :b' };\n"],
      ['functions/io/dynamo.ts', "const input = { KeyConditionExpression: 'a = :b' };\n"],
    ],
    good: [
      ['schema/request.ts', "const input = { ConditionExpression: 'a = :b' };\n"],
      ['infra/local/dynamodb/write.ts', 'const { ConditionExpression } = body;\n'],
    ],
    find: (file) =>
      isFunction(file) || isStack(file)
        ? findAll(file.code, /\b(?:Condition|Update|KeyCondition|Filter|Projection)Expression\b/g)
        : [],
  },
  {
    name: 'files and functions are named for what they are',
    remedy: 'name it for its subject or its deed; a barrel is no file of ours',
    bad: [
      ['functions/core/utils.ts', ''],
      ['test/support/date-helper.ts', ''],
      ['schema/index.ts', ''],
      ['schema/a.ts', 'export function parseHelper(): void {}\n'],
      ['schema/a.ts', 'class LeaseManager {}\n'],
      ['schema/a.ts', 'const commonFields = {};\n'],
    ],
    good: [
      ['functions/core/claims.ts', "import { isUtility } from 'a';\nconst managed = 1;\nconst uncommonly = 2;\n"],
      ['samples/index.ts', ''],
    ],
    find: (file) => {
      if (file.path.startsWith('samples/')) return [];
      const words = nameOf(file)
        .replace(/\.\w+(?:\.\w+)?$/, '')
        .split(/[-.]/);
      const emptyFile = words.some((word) => EMPTY_FILE.test(word)) || /^index\.\w+$/.test(nameOf(file));
      const names = findAll(file.code, EMPTY_NAME);
      return emptyFile ? [`is named ${nameOf(file)}`, ...names] : names;
    },
  },
];

/** Rules for every text of the project, prose and settings included. */
export const TEXT_RULES: readonly Rule[] = [
  {
    name: 'nothing is left for later in the code',
    remedy: 'do it now, or open an issue',
    bad: [['README.md', `${'TO' + 'DO'}: say more\n`]],
    good: [['README.md', 'A to-do list is a note.\n']],
    find: ({ text }) => findAll(text, LATER),
  },
  {
    name: 'no text names a machine, a registry, or who wrote it how',
    remedy: 'say it without the place',
    bad: [
      ['README.md', `Run /${'wo' + 'rk'}/main/start.\n`],
      ['docs/a.md', `cd /${'ho' + 'me'}/ada/nightjar\n`],
      ['package-lock.json', `"resolved": "https://${'registry'}.example.org/a.tgz"\n`],
      ['schema/a.ts', `// as a ${'help' + 'er'} ${'sess' + 'ion'} found\n`],
    ],
    good: [
      ['README.md', 'See network/work/queue and https://example.org/home/ada.\n'],
      ['schema/a.ts', "const registry = sessions.registry.find('work');\n"],
    ],
    find: ({ text }) => [...text.matchAll(MACHINE)].map((match) => `${lineOf(text, match.index)}: ${match[0]}`),
  },
];
