/**
 * A synthesized CloudFormation template with every intrinsic resolved to local names, so that one definition serves the
 * cloud and one machine.
 *
 * Only what is read is resolved: roles, dashboards and log settings may use anything. What is read and uses something
 * this resolver does not know is refused by name.
 */

export interface Template {
  readonly Resources: Readonly<Record<string, TemplateResource>>;
  readonly Parameters?: Readonly<Record<string, { readonly Type: string; readonly Default?: unknown }>>;
}

export interface TemplateResource {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
  readonly Metadata?: Readonly<Record<string, unknown>>;
  readonly Condition?: string;
}

/** A resource; a property is resolved when it is read. */
export interface Resource {
  readonly logicalId: string;
  readonly type: string;
  /** What `Ref` of it gives: a name, a URL for a queue, an ARN for an alias. */
  readonly ref: string;
  /** Its name on this machine. */
  readonly name: string;
  readonly properties: Readonly<Record<string, unknown>>;
  /** The source file of a function, relative to the repository's root. */
  readonly entry: string | undefined;
}

export interface TemplateOptions {
  readonly template: Template;
  /** Values of the template's parameters; the others keep their defaults. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** Where the services answer on this machine; queue URLs begin with it. */
  readonly baseUrl: string;
}

export const REGION = 'us-east-1';
export const ACCOUNT = '000000000000';
/** Metadata of a function that names its source file. */
const ENTRY_METADATA = 'local:entry';

const PSEUDO_PARAMETERS: Readonly<Record<string, string>> = {
  'AWS::Region': REGION,
  'AWS::AccountId': ACCOUNT,
  'AWS::Partition': 'aws',
  'AWS::URLSuffix': 'amazonaws.com',
  'AWS::StackName': 'local',
  'AWS::StackId': `arn:aws:cloudformation:${REGION}:${ACCOUNT}:stack/local/0`,
};

/** Resolves a template's resources on demand. The constructor throws for a parameter the template does not have. */
export class TemplateResolver {
  readonly #template: Template;
  readonly #parameters: Readonly<Record<string, string>>;
  readonly #baseUrl: string;
  readonly #entryCounts = new Map<string, number>();

  constructor({ template, parameters = {}, baseUrl }: TemplateOptions) {
    this.#template = template;
    this.#parameters = parameters;
    this.#baseUrl = baseUrl;
    const known = Object.keys(template.Parameters ?? {});
    for (const name of Object.keys(parameters)) {
      if (known.includes(name)) continue;
      throw new Error(`The template has no parameter ${name}. It has: ${known.join(', ') || 'none'}.`);
    }
    for (const resource of Object.values(template.Resources)) {
      const folder = readEntryFolder(resource);
      if (folder !== undefined) this.#entryCounts.set(folder, (this.#entryCounts.get(folder) ?? 0) + 1);
    }
  }

  /** All resources of these types, resolved. */
  list(...types: readonly string[]): Resource[] {
    const found = Object.entries(this.#template.Resources).filter(([, resource]) => types.includes(resource.Type));
    return found.map(([logicalId, resource]) => {
      if (resource.Condition !== undefined) {
        throw new Error(`${logicalId} exists under condition ${resource.Condition}; conditions are not emulated.`);
      }
      return {
        logicalId,
        type: resource.Type,
        ref: this.#resolveRef(logicalId, logicalId),
        name: this.#nameOf(logicalId, resource),
        properties: this.#resolveLazily(resource.Properties ?? {}, logicalId),
        entry: readEntry(resource),
      };
    });
  }

  /**
   * A given physical name; for a function the folder of its source (`functions/worker/handler.ts` is `worker`), which is
   * what a person looks for in logs and counts; else the logical id.
   */
  #nameOf(logicalId: string, resource: TemplateResource): string {
    const { Properties: properties = {}, Type: type } = resource;
    const given =
      properties[
        type === 'AWS::SQS::Queue' ? 'QueueName' : type === 'AWS::Lambda::Function' ? 'FunctionName' : 'TableName'
      ];
    if (typeof given === 'string') return given;
    const folder = readEntryFolder(resource);
    if (folder !== undefined && this.#entryCounts.get(folder) === 1) return folder;
    return logicalId;
  }

  #resolveRef(id: string, where: string): string {
    const pseudo = PSEUDO_PARAMETERS[id];
    if (pseudo !== undefined) return pseudo;
    const resource = this.#template.Resources[id];
    if (resource === undefined) return this.#readParameter(id, where);
    if (resource.Type === 'AWS::SQS::Queue') return `${this.#baseUrl}/${ACCOUNT}/${this.#nameOf(id, resource)}`;
    if (resource.Type === 'AWS::Lambda::Alias') {
      const { FunctionName: target, Name: alias } = this.#resolve(resource.Properties ?? {}, id) as Record<
        string,
        string
      >;
      return `${functionArn(parseFunctionReference(String(target)).name)}:${alias}`;
    }
    if (resource.Type === 'AWS::Lambda::Version') {
      const { FunctionName: target } = this.#resolve(resource.Properties ?? {}, id) as Record<string, string>;
      return `${functionArn(parseFunctionReference(String(target)).name)}:1`;
    }
    return this.#nameOf(id, resource);
  }

  #readParameter(name: string, where: string): string {
    const value = this.#parameters[name] ?? this.#template.Parameters?.[name]?.Default;
    if (value === undefined)
      throw new Error(`${where} refers to ${name}, which is neither a resource nor a parameter with a value.`);
    const type = this.#template.Parameters?.[name]?.Type;
    if (type?.startsWith('AWS::SSM') && this.#parameters[name] === undefined) {
      throw new Error(`${where} refers to parameter ${name} of type ${type}, which is not emulated; give it a value.`);
    }
    return typeof value === 'string' ? value : JSON.stringify(value);
  }

  #resolveAttribute(id: string, attribute: string, where: string): string {
    const resource = this.#template.Resources[id];
    if (resource === undefined)
      throw new Error(`${where} asks for ${id}.${attribute}, but the template has no resource ${id}.`);
    const name = this.#nameOf(id, resource);
    const value = this.#knownAttribute(resource.Type, name, attribute);
    if (value === undefined)
      throw new Error(`${where} asks for ${attribute} of ${id} (${resource.Type}), which is not emulated.`);
    return value;
  }

  #knownAttribute(type: string, name: string, attribute: string): string | undefined {
    switch (`${type} ${attribute}`) {
      case 'AWS::SQS::Queue Arn':
        return `arn:aws:sqs:${REGION}:${ACCOUNT}:${name}`;
      case 'AWS::SQS::Queue QueueName':
        return name;
      case 'AWS::SQS::Queue QueueUrl':
        return `${this.#baseUrl}/${ACCOUNT}/${name}`;
      case 'AWS::Lambda::Function Arn':
        return functionArn(name);
      case 'AWS::Lambda::Version Version':
        return '1';
      case 'AWS::DynamoDB::GlobalTable Arn':
      case 'AWS::DynamoDB::Table Arn':
        return `arn:aws:dynamodb:${REGION}:${ACCOUNT}:table/${name}`;
      case 'AWS::DynamoDB::GlobalTable StreamArn':
      case 'AWS::DynamoDB::Table StreamArn':
        return `arn:aws:dynamodb:${REGION}:${ACCOUNT}:table/${name}/stream/local`;
      case 'AWS::IAM::Role Arn':
        return `arn:aws:iam::${ACCOUNT}:role/${name}`;
      default:
        return undefined;
    }
  }

  /** Each property when it is read: an access log's ARN, for one, is none of the runtime's business. */
  #resolveLazily(properties: Readonly<Record<string, unknown>>, where: string): Record<string, unknown> {
    const lazy: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(properties)) {
      Object.defineProperty(lazy, name, { enumerable: true, get: () => this.#resolve(value, where) });
    }
    return lazy;
  }

  #resolve(value: unknown, where: string): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#resolve(item, where));
    if (value === null || typeof value !== 'object') return value;
    const entries = Object.entries(value);
    const [key, argument] = entries.length === 1 && entries[0] !== undefined ? entries[0] : [];
    if (key !== undefined && (key === 'Ref' || key.startsWith('Fn::')))
      return this.#resolveIntrinsic(key, argument, where);
    return Object.fromEntries(entries.map(([name, item]) => [name, this.#resolve(item, where)]));
  }

  #resolveIntrinsic(key: string, argument: unknown, where: string): unknown {
    if (key === 'Ref') return this.#resolveRef(String(argument), where);
    if (key === 'Fn::Sub') return this.#substitute(argument, where);
    if (key === 'Fn::GetAtt') {
      const [id = '', attribute = ''] = Array.isArray(argument) ? argument.map(String) : String(argument).split('.');
      return this.#resolveAttribute(id, attribute, where);
    }
    const [first, second] = Array.isArray(argument) ? argument.map((item) => this.#resolve(item, where)) : [];
    if (key === 'Fn::Join') return (second as unknown[]).map(String).join(String(first));
    if (key === 'Fn::Select') return (second as unknown[])[Number(first)];
    if (key === 'Fn::Split') return String(second).split(String(first));
    throw new Error(
      `${where} uses ${key}, which is not emulated. Known: Ref, Fn::GetAtt, Fn::Join, Fn::Sub, Fn::Select, Fn::Split.`,
    );
  }

  #substitute(argument: unknown, where: string): string {
    const [text, values] = (Array.isArray(argument) ? argument : [argument, {}]) as [string, Record<string, unknown>];
    return text.replaceAll(/\$\{([^}]+)\}/g, (_, name: string) => {
      if (name.startsWith('!')) return `\${${name.slice(1)}}`;
      if (name in values) return String(this.#resolve(values[name], where));
      const [id = '', ...attribute] = name.split('.');
      return attribute.length > 0
        ? this.#resolveAttribute(id, attribute.join('.'), where)
        : this.#resolveRef(name, where);
    });
  }
}

/** The ARN of a function, unqualified. */
export function functionArn(name: string): string {
  return `arn:aws:lambda:${REGION}:${ACCOUNT}:function:${name}`;
}

/** Splits a function's name, partial ARN or ARN into its name and qualifier. */
export function parseFunctionReference(reference: string): { name: string; qualifier: string | undefined } {
  const local = reference.includes(':function:') ? reference.slice(reference.indexOf(':function:') + 10) : reference;
  const [name = '', qualifier] = local.split(':');
  return { name, qualifier };
}

function readEntry(resource: TemplateResource): string | undefined {
  const entry = resource.Metadata?.[ENTRY_METADATA];
  return typeof entry === 'string' ? entry : undefined;
}

function readEntryFolder(resource: TemplateResource): string | undefined {
  return readEntry(resource)?.split('/').at(-2);
}
