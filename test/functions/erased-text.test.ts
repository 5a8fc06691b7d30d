/** Goal: evidence whose text is gone keeps nothing else from being read. Method: a text removed under its evidence. */
import { describe, expect, it } from 'vitest';
import { choosePage, type PageRoom } from '../../functions/core/paging.ts';
import { useDeployments } from '../support/deployments.ts';

const look = { scope: 's', origin: 'trigger', kind: 'incremental' } as const;
const deploy = useDeployments();
const note = (id: string, capturedAt: string) => ({
  kind: 'note',
  id,
  format: 'text',
  text: `Note ${id}.`,
  capturedAt,
});

/**
 * What a pass settles that takes first what waits longest, of which no text is left, and then what broke off a pass before,
 * which is never read beside anything else. `holdsAll`: what it took counts, whether it had a text or not.
 */
async function settledBeside(holdsAll = false): Promise<string[]> {
  let hasTaken = false;
  const counting = (rows: Parameters<typeof choosePage>[0], room: PageRoom) => {
    const choice = choosePage(rows, hasTaken && holdsAll ? { ...room, holds: 'others' } : room);
    hasTaken ||= choice.chosen.length > 0;
    return choice;
  };
  const deployment = deploy({ choosePage: counting });
  await deployment.ingest('s', [note('gone', '2024-01-01T00:00:00Z'), note('suspect', '2024-05-01T00:00:00Z')]);
  for (const { pk, sk } of deployment.items('text'))
    if (String(pk).includes('gone'))
      await deployment.tables.store.write({
        kind: 'delete',
        table: 'text',
        isMine: () => true,
        input: { Key: { pk, sk } },
      });
  const [suspect] = deployment.evidence().filter(({ id }) => id === 'suspect');
  deployment.tables.engine.dispatch('UpdateItem', {
    TableName: 'control',
    Key: { pk: { S: String(suspect?.pk) }, sk: { S: String(suspect?.sk) } },
    UpdateExpression: 'SET #a = :a',
    ExpressionAttributeNames: { '#a': 'attempts' },
    ExpressionAttributeValues: { ':a': { N: '1' } },
  });
  await deployment.ask(look);
  await deployment.quiesce({ untilMs: deployment.clock.nowMs() + 5000 });
  return deployment.evidence().flatMap(({ id, state }) => (state === 'settled' ? [String(id)] : []));
}

describe('a page of which no text is left', () => {
  it('is passed over, and keeps nothing from being read after it', async () => {
    expect(await settledBeside()).toEqual(['suspect']);
  });

  it('twin: where it counts as held, what broke off a pass is set aside for another', async () => {
    expect(await settledBeside(true)).toEqual([]);
  });
});
