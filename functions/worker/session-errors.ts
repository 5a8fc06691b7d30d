/** Why a tool call of a pass is refused altogether. */

/** The pass is no longer this attempt's: it was expired or cancelled. Nothing more may be written. */
export class PassLostError extends Error {
  constructor(passId: string) {
    super(`pass ${passId} is no longer this attempt's: it was expired or cancelled`);
    this.name = 'PassLostError';
  }
}

/** The pass has ended; a tool called after that does nothing. */
export class SessionClosedError extends Error {
  constructor() {
    super('the pass has ended: its tools are closed');
    this.name = 'SessionClosedError';
  }
}
