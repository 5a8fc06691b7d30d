/** Goal: a pass that reads what is erased does not bring it back. Method: an erase while its executor has read. */
import { afterEach, describe, expect, it } from 'vitest';
import type { Store } from '../../../functions/io/ports.ts';
import { ErasingScene, ONE_LOOK, OTHER, readingExecutor, SECRET, WORDS } from './scene.ts';

const PATH = '/sources/note/diary';

const scenes: ErasingScene[] = [];
function open(...options: ConstructorParameters<typeof ErasingScene>): ErasingScene {
  const scene = new ErasingScene(...options);
  scenes.push(scene);
  return scene;
}
afterEach(() => {
  for (const scene of scenes.splice(0)) scene.close();
});

describe('a pass that holds the source', () => {
  interface Erasing {
    readonly isCancelled: boolean;
    /** It reads nothing else. */
    readonly isAlone?: boolean;
    readonly planNextLook?: typeof ONE_LOOK;
  }

  /** Erases while the executor has read and has not written. */
  async function eraseMidPass({ isCancelled, isAlone, ...parts }: Erasing): Promise<ErasingScene> {
    let isErased = false;
    const meanwhile = async () => {
      if (isErased) return;
      isErased = true;
      const { store } = scene.tables;
      const deafToCancels: Store = {
        ...store,
        write: async (write) =>
          JSON.stringify(write.input).includes('"cancelled"')
            ? { kind: 'held', stored: undefined }
            : store.write(write),
      };
      await scene.erase('DELETE', PATH, undefined, { store: isCancelled ? store : deafToCancels, ...parts });
      expect(scene.left(WORDS)).toEqual([]);
    };
    const scene = open({ executor: readingExecutor(meanwhile) });
    await scene.take(SECRET, ...(isAlone ? [] : [OTHER]));
    return scene;
  }

  it('is cancelled, and what it still writes goes with the next look', async () => {
    const scene = await eraseMidPass({ isCancelled: true });
    expect(scene.passes().map(({ status }) => status)).toContain('cancelled');
    expect(scene.left(['timbuktu'])).toEqual([]);
    await scene.untilFinished();
    await scene.passTime(3 * 60_000);
    expect(scene.left(WORDS)).toEqual([]);
    expect(await scene.values()).toEqual(['Denver']);
    expect(scene.leasesLeft()).toBe(0);
  });

  it('and could not be cancelled writes it back for no longer than until the next look', async () => {
    const scene = await eraseMidPass({ isCancelled: false });
    expect(scene.left(['timbuktu'])).toEqual(['timbuktu']);
    await scene.untilFinished();
    expect(scene.left(WORDS)).toEqual([]);
    expect(await scene.values()).toEqual(['Denver']);
  });

  it('and had read nothing else is no failure of its scope', async () => {
    const scene = await eraseMidPass({ isCancelled: false, isAlone: true });
    expect(scene.passes().map(({ status, finalizedAtMs }) => [status, typeof finalizedAtMs])).toEqual([
      ['completed', 'number'],
    ]);
    expect(scene.rows('SCOPE')[0]?.failures ?? 0).toBe(0);
  });

  it('twin: with one look alone, what it writes stays', async () => {
    const scene = await eraseMidPass({ isCancelled: false, planNextLook: ONE_LOOK });
    await scene.untilFinished({ planNextLook: ONE_LOOK });
    expect(scene.left(['timbuktu'])).toEqual(['timbuktu']);
  });
});
