/**
 * The subset of DynamoDB's expressions that the schema keeps to, because there all engines agree: =, <>, <, <=, >, >=,
 * BETWEEN, IN, AND, OR, NOT, attribute_exists, attribute_not_exists, begins_with; SET with + and if_not_exists, ADD,
 * REMOVE of names and map keys. Every attribute is a `#name`, every value a `:value`.
 */

const NAME = String.raw`#\w+(?:\.#\w+)*`;
const VALUE = String.raw`:\w+`;
const OPERAND = `(?:${NAME}|${VALUE})`;

const CONDITIONS = [
  new RegExp(`^${OPERAND} (?:=|<>|<|<=|>|>=) ${OPERAND}$`),
  new RegExp(`^${OPERAND} BETWEEN ${OPERAND} AND ${OPERAND}$`),
  new RegExp(`^${OPERAND} IN \\(${VALUE}(?:, ${VALUE})*\\)$`),
  new RegExp(`^attribute_(?:not_)?exists\\(${NAME}\\)$`),
  new RegExp(`^begins_with\\(${NAME}, ${VALUE}\\)$`),
];

const TERM = `(?:${OPERAND}|if_not_exists\\(${NAME}, ${OPERAND}\\))`;
const ACTIONS: Readonly<Record<string, RegExp>> = {
  SET: new RegExp(`^${NAME} = ${TERM}(?: \\+ ${TERM})?$`),
  ADD: new RegExp(`^${NAME} ${VALUE}$`),
  REMOVE: new RegExp(`^${NAME}$`),
};

/** Splits at a separator outside parentheses; `BETWEEN a AND b` stays whole. */
function splitOutside(text: string, separator: RegExp): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '(') depth++;
    if (text[at] === ')') depth--;
    separator.lastIndex = at;
    const match = depth === 0 ? separator.exec(text) : null;
    if (match && !/BETWEEN \S+$/.test(text.slice(start, at))) {
      parts.push(text.slice(start, at));
      start = at + match[0].length;
      at = start - 1;
    }
  }
  return [...parts, text.slice(start)];
}

/** What of a condition, key condition or filter lies outside the subset. */
export function conditionFaults(expression: string): string[] {
  const parts = splitOutside(expression, / (?:AND|OR) /y);
  if (parts.length > 1) return parts.flatMap(conditionFaults);
  if (expression.startsWith('NOT ')) return conditionFaults(expression.slice(4));
  if (/^\(.*\)$/.test(expression) && splitOutside(expression, /\)(?=.)/y).length === 1) {
    return conditionFaults(expression.slice(1, -1));
  }
  return CONDITIONS.some((shape) => shape.test(expression)) ? [] : [expression];
}

/** What of an update expression lies outside the subset. */
export function updateFaults(expression: string): string[] {
  return expression.split(/ (?=(?:SET|ADD|REMOVE|DELETE) )/).flatMap((section) => {
    const [word = '', ...rest] = section.split(' ');
    const shape = ACTIONS[word];
    if (!shape) return [section];
    return splitOutside(rest.join(' '), /, /y).filter((action) => !shape.test(action));
  });
}

/** The expressions among the members of a request's input. */
type Expressions = Readonly<
  Partial<
    Record<
      'ConditionExpression' | 'KeyConditionExpression' | 'FilterExpression' | 'UpdateExpression',
      string | undefined
    >
  >
>;

/** What of a request's expressions lies outside the subset. */
export function subsetFaults(request: { readonly input: object }): string[] {
  const input: Expressions = request.input;
  const conditions = [input.ConditionExpression, input.KeyConditionExpression, input.FilterExpression];
  return [
    ...conditions.flatMap((condition) => (condition === undefined ? [] : conditionFaults(condition))),
    ...(input.UpdateExpression === undefined ? [] : updateFaults(input.UpdateExpression)),
  ];
}
