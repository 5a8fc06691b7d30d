/** Random expressions of the subset: comparisons, BETWEEN, IN, AND, OR, NOT, three functions; SET, ADD, REMOVE. */
import { drawValue, type Draw, type Value } from './values.ts';

const ATTRIBUTES = ['a', 'a', 'b', 'b', 'c', 'c', 'n', 'n', 's', 's', 'gs', 'hn'];
const MAP_KEYS = ['x', 'y'];

/** The placeholders of one request. */
export class Expression {
  readonly #draw: Draw;
  readonly #names: Record<string, string> = {};
  readonly #values: Record<string, Value> = {};

  constructor(draw: Draw) {
    this.#draw = draw;
  }

  /** Only what is used: an unused placeholder is refused. */
  get parameters(): Record<string, unknown> {
    return {
      ...(Object.keys(this.#names).length > 0 && { ExpressionAttributeNames: this.#names }),
      ...(Object.keys(this.#values).length > 0 && { ExpressionAttributeValues: this.#values }),
    };
  }

  /** The name, by itself or behind a placeholder. */
  name(name: string): string {
    if (this.#draw.chance(0.5)) return name;
    this.#names[`#${name}`] = name;
    return `#${name}`;
  }

  value(value: Value): string {
    const placeholder = `:v${Object.keys(this.#values).length}`;
    this.#values[placeholder] = value;
    return placeholder;
  }

  /** A name, or a key or two of the map `m`. */
  path(): string {
    const draw = this.#draw;
    if (draw.chance(0.65)) return this.name(draw.pick(ATTRIBUTES));
    const keys = Array.from({ length: draw.int(0, 2) }, () => this.name(draw.pick(MAP_KEYS)));
    return [this.name('m'), ...keys].join('.');
  }

  paths(count: number): string {
    return Array.from({ length: count }, () => this.path()).join(', ');
  }
}

/** Never nested deeper than `depth`. */
export function drawCondition(draw: Draw, expression: Expression, depth: number): string {
  const inner = () => drawCondition(draw, expression, depth - 1);
  if (depth > 0 && draw.chance(0.5)) {
    return draw.pick([
      () => `(${inner()}) AND (${inner()})`,
      () => `(${inner()}) OR (${inner()})`,
      () => `NOT (${inner()})`,
      () => `${inner()} AND ${inner()}`,
      () => `${inner()} OR ${inner()}`,
      () => `NOT ${inner()}`,
    ])();
  }
  return drawComparison(draw, expression);
}

function drawComparison(draw: Draw, expression: Expression): string {
  const value = () => expression.value(drawValue(draw));
  const operand = () => (draw.chance(0.8) ? value() : expression.path());
  // An order is between two of one type; now and then any, which both engines refuse.
  const ordered = draw.chance(0.97) ? draw.pick(['S', 'N', 'B']) : undefined;
  const bound = () => expression.value(drawValue(draw, ordered));
  return draw.pick([
    () => `${expression.path()} ${draw.pick(['=', '<>'])} ${operand()}`,
    () => `${expression.path()} ${draw.pick(['<', '<=', '>', '>='])} ${draw.chance(0.9) ? bound() : expression.path()}`,
    () =>
      `${expression.path()} BETWEEN ${drawBounds(draw)
        .map((value) => expression.value(value))
        .join(' AND ')}`,
    () => `${expression.path()} IN (${Array.from({ length: draw.int(1, 3) }, operand).join(', ')})`,
    () => `attribute_exists(${draw.chance(0.3) ? expression.name('pk') : expression.path()})`,
    () => `attribute_not_exists(${draw.chance(0.3) ? expression.name('pk') : expression.path()})`,
    () => `begins_with(${expression.path()}, ${expression.value(drawValue(draw, draw.pick(['S', 'S', 'S', 'B'])))})`,
  ])();
}

/** Mostly in order; now and then not, or of two types, which both engines refuse in a condition. */
function drawBounds(draw: Draw): readonly Value[] {
  if (draw.chance(0.03)) return [drawValue(draw), drawValue(draw)];
  return draw.pick([
    [{ N: '-1' }, { N: '1' }],
    [{ N: '1' }, { N: '1e3' }],
    [{ S: '' }, { S: 'ab' }],
    [{ S: 'ab' }, { S: 'é' }],
    [{ B: '' }, { B: 'AQI=' }],
  ]);
}

export function drawUpdate(draw: Draw, expression: Expression): string {
  const targets = drawTargets(draw, expression);
  const sections: Record<string, string[]> = {};
  for (const target of targets) {
    const [section, clause] = draw.pick([
      () => ['SET', `${target} = ${drawOperand(draw, expression)}`] as const,
      () => ['SET', `${target} = ${drawOperand(draw, expression)}`] as const,
      () => ['REMOVE', target] as const,
      () => ['ADD', `${target} ${drawAddend(draw, expression, /^#?n$/.test(target))}`] as const,
    ])();
    (sections[section] ??= []).push(clause);
  }
  if (draw.chance(0.2)) (sections.SET ??= []).push(drawIndexKey(draw, expression));
  return Object.entries(sections)
    .map(([section, clauses]) => `${section} ${clauses.join(', ')}`)
    .join(' ');
}

/** Mostly paths that do not touch each other; now and then two that do, which both engines refuse. */
function drawTargets(draw: Draw, expression: Expression): string[] {
  const targets = Array.from({ length: draw.pick([1, 1, 2, 3]) }, () => expression.path());
  if (draw.chance(0.03)) return targets;
  const roots = new Set<string>();
  return targets.filter((target) => {
    const root = target.replace('#', '').split('.')[0] as string;
    return !roots.has(root) && roots.add(root);
  });
}

/** An index key with a value that fits it. */
function drawIndexKey(draw: Draw, expression: Expression): string {
  const [name, value] = draw.pick([
    ['gp', { S: draw.pick(['g', 'h']) }],
    ['hp', { S: draw.pick(['g', 'h']) }],
  ] as const);
  return `${expression.name(name)} = ${expression.value(value)}`;
}

function drawOperand(draw: Draw, expression: Expression): string {
  const number = () => expression.value(drawValue(draw, draw.chance(0.98) ? 'N' : undefined));
  const value = () => expression.value(drawValue(draw));
  return draw.pick([
    value,
    value,
    value,
    () => expression.path(),
    () => `${draw.chance(0.8) ? expression.name('n') : expression.path()} + ${number()}`,
    () => `if_not_exists(${expression.path()}, ${value()})`,
    () => `if_not_exists(${draw.chance(0.8) ? expression.name('n') : expression.path()}, ${number()}) + ${number()}`,
  ])();
}

function drawAddend(draw: Draw, expression: Expression, isNumber: boolean): string {
  if (isNumber) return expression.value(drawValue(draw, 'N'));
  return expression.value(drawValue(draw, draw.chance(0.98) ? draw.pick(['N', 'SS', 'NS']) : 'S'));
}
