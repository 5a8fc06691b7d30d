/** What must hold of a day's budget; looked at after every write of it. */
import type { UsageItem } from '../../../schema/usage.ts';
import type { Change } from '../engine/tables.ts';

export class UsageInvariants {
  /** Row → the passes it ever named. */
  readonly #named = new Map<string, Set<string>>();
  readonly #fail: (invariant: string, found: string) => void;

  constructor(fail: (invariant: string, found: string) => void) {
    this.#fail = fail;
  }

  onUsage({ pk, sk, after }: Change): void {
    const usage = after as UsageItem | undefined;
    if (!usage) return;
    const row = `${pk} ${sk}`;
    const named = this.#named.get(row) ?? new Set();
    this.#named.set(row, named);
    for (const passId of Object.keys(usage.reserved)) named.add(passId);
    if (usage.passes > named.size) {
      this.#fail('a pass is counted once', `${row} counts ${usage.passes} passes, and ever named ${named.size}`);
    }
    const open = Object.values(usage.reserved).filter(({ closed }) => closed === undefined);
    const aside = open.reduce((sum, { tokensIn }) => sum + tokensIn, 0);
    if (usage.tokensIn < aside)
      this.#fail('what is set aside is counted', `${row} counts ${usage.tokensIn} tokens, and has set aside ${aside}`);
    if (usage.passes < 0) this.#fail('a pass is counted once', `${row} counts ${usage.passes} passes`);
  }
}
