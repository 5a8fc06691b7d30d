/** The only reader of environment variables. A missing one stops the cold start with its name. */
import {
  ENVIRONMENT,
  EXECUTOR_NAMES,
  type ExecutorName,
  FUNCTION_ENVIRONMENT,
  type FunctionName,
} from '../../schema/environment.ts';
import { parsePools } from '../../schema/pool.ts';
import { parseSettingOverrides } from '../../schema/settings.ts';

export type Variables = Readonly<Record<keyof typeof ENVIRONMENT, string>>;

/** The variables a function was given, by their short names; reading one it was not given throws. */
export function readEnvironment(name: FunctionName): Variables {
  const given: Record<string, string> = {};
  for (const variable of FUNCTION_ENVIRONMENT[name]) {
    const value = process.env[ENVIRONMENT[variable]];
    if (value === undefined) {
      throw new Error(`environment variable ${ENVIRONMENT[variable]} is missing: the function "${name}" cannot start`);
    }
    given[variable] = value;
  }
  return new Proxy(given, {
    get(target, variable: string) {
      if (!(variable in target)) throw new Error(`the function "${name}" is not given ${variable}`);
      return target[variable];
    },
  }) as Variables;
}

/** How many pools the deployment was made with; throws with the range, or with the setting that is too small for it. */
export function readPoolCount({ pools, settings }: Pick<Variables, 'pools' | 'settings'>): number {
  return parsePools(pools, parseSettingOverrides(settings, 'the deployment parameter Settings'));
}

/** The configured executor's name; undefined when the deployment names none that is known, and admission refuses by it. */
export function readExecutorName(variables: Pick<Variables, 'executor'>): ExecutorName | undefined {
  return EXECUTOR_NAMES.find((name) => name === variables.executor);
}
