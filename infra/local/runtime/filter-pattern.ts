/**
 * Event filter patterns, as an event source mapping applies them before a function is invoked: exact values, `null`,
 * `prefix`, `suffix`, `exists` and `anything-but`. A rule outside these is refused when the pattern is compiled.
 */

type Test = (value: unknown) => boolean;

/** Compiles the patterns of a mapping; a record passes when one of them matches, or when there is none. */
export function compileFilters(patterns: readonly string[]): (record: unknown) => boolean {
  const tests = patterns.map((pattern) => compilePattern(JSON.parse(pattern) as unknown, pattern));
  return tests.length === 0 ? () => true : (record) => tests.some((test) => test(record));
}

function compilePattern(node: unknown, pattern: string): Test {
  if (Array.isArray(node)) {
    const rules = node.map((rule) => compileRule(rule as unknown, pattern));
    return (value) => rules.some((rule) => rule(value));
  }
  if (node === null || typeof node !== 'object') {
    throw new Error(`Filter ${pattern}: a field must be matched by a list of values, not by ${JSON.stringify(node)}.`);
  }
  const fields = Object.entries(node).map(([name, inner]) => {
    if (name.startsWith('$'))
      throw new Error(`Filter ${pattern}: ${name} is not emulated; write one filter for each case.`);
    return [name, compilePattern(inner, pattern)] as const;
  });
  return (value) => fields.every(([name, test]) => test(isObject(value) ? value[name] : undefined));
}

function compileRule(rule: unknown, pattern: string): Test {
  if (!isObject(rule)) return (value) => matchesOne(value, (one) => one === rule);
  const [kind = '', argument] = Object.entries(rule)[0] ?? [];
  switch (kind) {
    case 'exists':
      // Only leaves exist for a filter: a field that holds an object never does.
      return (value) => (value !== undefined && !isObject(value)) === argument;
    case 'prefix':
      return (value) => matchesOne(value, (one) => typeof one === 'string' && one.startsWith(String(argument)));
    case 'suffix':
      return (value) => matchesOne(value, (one) => typeof one === 'string' && one.endsWith(String(argument)));
    case 'anything-but':
      return compileAnythingBut(argument, pattern);
    default:
      throw new Error(
        `Filter ${pattern}: the rule ${kind} is not emulated. Known: exists, prefix, suffix, anything-but.`,
      );
  }
}

function compileAnythingBut(argument: unknown, pattern: string): Test {
  if (isObject(argument)) {
    const rule = compileRule(argument, pattern);
    return (value) => isLeaf(value) && !rule(value);
  }
  const excluded = Array.isArray(argument) ? (argument as unknown[]) : [argument];
  return (value) => isLeaf(value) && !excluded.includes(value);
}

function matchesOne(value: unknown, test: Test): boolean {
  return Array.isArray(value) ? value.some((one) => test(one)) : test(value);
}

function isLeaf(value: unknown): boolean {
  return value !== undefined && !isObject(value);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
