/** Goal: passes that failed at an erased source keep none of its words. Method: an executor whose error quotes it. */
import { afterEach, describe, expect, it } from 'vitest';
import { ErasingScene, SECRET, WORDS } from './scene.ts';

let scene: ErasingScene;
afterEach(() => scene.close());

describe('erasing a source', () => {
  it('leaves none of its words in how passes at it failed, whatever was thrown', async () => {
    scene = new ErasingScene({
      executor: {
        name: 'stub',
        async run(tools) {
          const { items } = await tools.searchEvidence({});
          throw new Error(`a provider cannot take: ${items.map(({ text }) => text).join(' ')}`);
        },
      },
    });
    await scene.take(SECRET);
    await scene.passTime(60_000);
    expect(scene.rows('SCOPE')[0]).toMatchObject({ failures: 1 });
    await scene.erase('DELETE', '/sources/note/diary');
    await scene.untilFinished();
    expect(scene.left(WORDS)).toEqual([]);
    expect(scene.passes()).toMatchObject([{ status: 'failed', failure: { code: 'Error' } }]);
  });
});
