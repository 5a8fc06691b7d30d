/** How many things a caller of a tool is given: what it asked for, at least one, at most the bound; that for no number. */
export function countAsked(asked: number | undefined, most: number): number {
  const whole = Math.floor(asked ?? most);
  return Number.isNaN(whole) ? most : Math.max(1, Math.min(whole, most));
}
