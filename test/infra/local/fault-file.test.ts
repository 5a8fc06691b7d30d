import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readFaultFile } from '../../../infra/local/fault-file.ts';
import { parseServe } from '../../../infra/local/serve.ts';
import { makeFolder } from './command-run.ts';

const made = makeFolder();
afterAll(() => made.remove());

function write(content: string): string {
  const file = path.join(made.folder, 'faults.json');
  writeFileSync(file, content);
  return file;
}

const FAULTS = { seed: 3, messages: { queue: { twice: 0.5 } }, clocks: { worker: -1000 } };

describe('a file of faults', () => {
  it('is what serve runs with', () => {
    expect(parseServe(['--faults', write(JSON.stringify(FAULTS))])).toMatchObject({ faults: FAULTS });
    expect(parseServe([])).not.toHaveProperty('faults');
  });

  it.each([
    ['{', /is not JSON/],
    ['{"messages":{"queue":{"twice":3}}}', /^messages\.queue\.twice: /],
    ['{"slow":true}', /^the whole: /],
  ])('that reads %s is refused', (content, message) => {
    const file = write(content);
    expect(() => readFaultFile(file)).toThrow(message);
    expect(() => parseServe(['--faults', file])).toThrow(/^--faults cannot be /);
  });

  it('that is not there is refused', () => {
    expect(() => readFaultFile(path.join(made.folder, 'none.json'))).toThrow(/no such file/);
  });
});
