/** The errors this engine answers with, under the names the AWS SDK knows. */

/** An error of the SQS protocol: `code` is the error's name for the SDK. */
export class SqsFault extends Error {
  override readonly name = 'SqsFault';
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** A parameter's value is out of range; `reason` says which value it was and what is allowed. */
export function invalidValue(reason: string): SqsFault {
  return new SqsFault('InvalidParameterValue', reason);
}

/** Reads an integer within a range, with a default for an absent one. Throws `InvalidParameterValue` outside it. */
export function readInteger(
  name: string,
  value: unknown,
  { min, max, absent }: { min: number; max: number; absent: number },
): number {
  if (value === undefined || value === null) return absent;
  const number = typeof value === 'string' && value.trim() === '' ? Number.NaN : Number(value);
  if (!Number.isInteger(number) || number < min || number > max) {
    throw invalidValue(
      `Value ${JSON.stringify(value)} for parameter ${name} is invalid. Reason: must be between ${min} and ${max}.`,
    );
  }
  return number;
}
