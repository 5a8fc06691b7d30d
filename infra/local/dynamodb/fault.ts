/**
 * The errors the engine answers with, in the shape of DynamoDB's JSON protocol.
 *
 * A fault is thrown anywhere below `respond` and becomes a 400 there. Whatever is thrown and is not a fault is a
 * mistake of the engine itself and becomes a 500.
 */
const DYNAMODB = 'com.amazonaws.dynamodb.v20120810#';
const CORAL = 'com.amazon.coral.service#';
const CORAL_VALIDATE = 'com.amazon.coral.validate#';

/** A refusal: `body.__type` names the exception as the SDK reads it, `body.message` says why. */
export class DynamoDbFault extends Error {
  readonly body: { readonly __type: string; readonly message: string };

  constructor(type: string, message: string, details: object = {}) {
    super(message);
    this.name = type.slice(type.indexOf('#') + 1);
    this.body = { __type: type, message, ...details };
  }
}

export function validationFault(message: string): DynamoDbFault {
  return new DynamoDbFault(`${CORAL_VALIDATE}ValidationException`, message);
}

export function serializationFault(message: string): DynamoDbFault {
  return new DynamoDbFault(`${CORAL}SerializationException`, message);
}

export function unknownOperationFault(message: string): DynamoDbFault {
  return new DynamoDbFault(`${CORAL}UnknownOperationException`, message);
}

export function resourceNotFoundFault(message: string): DynamoDbFault {
  return new DynamoDbFault(`${DYNAMODB}ResourceNotFoundException`, message);
}

export function resourceInUseFault(message: string): DynamoDbFault {
  return new DynamoDbFault(`${DYNAMODB}ResourceInUseException`, message);
}

/** `details.Item` is the stored item when the request asked for it by ReturnValuesOnConditionCheckFailure. */
export function conditionFault(details: object): DynamoDbFault {
  return new DynamoDbFault(`${DYNAMODB}ConditionalCheckFailedException`, 'The conditional request failed', details);
}
