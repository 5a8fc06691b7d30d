/** The four calls that `npm run serve` prints: a session put in, drained, read back, and the status. */

/** Quoted for POSIX shells and for cmd.exe alike: double quotes, with those inside escaped. */
function quote(text: string): string {
  return `"${text.replaceAll('"', '\\"')}"`;
}

const SESSION = {
  sources: [
    {
      kind: 'transcript',
      id: 'first-session',
      turns: [
        { speaker: 'Maya', text: 'I moved to Denver in May 2024.', at: '2024-06-02T09:30:00-06:00' },
        { speaker: 'assistant', text: 'Welcome to the mountains.', at: '2024-06-02T09:30:20-06:00' },
      ],
    },
  ],
};

/** One line a call, each with a comment above it. */
export function describeCalls(url: string, scope: string, passes: number): string[] {
  const base = `${url}/v1/scopes/${scope}`;
  const post = (path: string, body: object): string =>
    `curl -X POST ${quote(`${base}/${path}`)} -H ${quote('content-type: application/json')} -d ${quote(JSON.stringify(body))}`;
  return [
    'Put a session in:',
    post('sources', SESSION),
    'Have it read now:',
    post('dream/drain', { parallel: passes }),
    'Read what is remembered (a pass takes a second or two):',
    `curl ${quote(`${base}/claims`)}`,
    'See what waits and what runs:',
    `curl ${quote(`${base}/status`)}`,
  ];
}
