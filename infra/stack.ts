/**
 * One environment of Nightjar: composition only. Each part is a file of its own in this folder.
 */
import { CfnParameter, Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { ERASE, TICK } from '../schema/edges.ts';
import { PARAMETERS } from '../schema/environment.ts';
import { Api } from './api.ts';
import { Compute, type ParameterValues } from './compute.ts';
import { addDashboard } from './dashboard.ts';
import type { Deployment } from './deployment.ts';
import { connectEdges } from './edges.ts';
import { publishOutputs } from './outputs.ts';
import { Queues } from './queues.ts';
import { Tick } from './schedule.ts';
import { Storage } from './storage.ts';

/** The CloudFormation parameters that carry deployment-wide values into the functions' environment. */
function addParameters(stack: Stack): ParameterValues {
  const add = (name: keyof typeof PARAMETERS, description: string) =>
    new CfnParameter(stack, PARAMETERS[name].name, { type: 'String', default: PARAMETERS[name].default, description })
      .valueAsString;
  return {
    settings: add('settings', 'JSON of settings that replace the defaults for the whole deployment.'),
    pools: add(
      'pools',
      'How many ledgers the scopes are spread over; never changed once the deployment holds anything.',
    ),
    executor: add('executor', 'Which executor reads the pages of a pass.'),
    stub: add('stub', 'JSON of the stub executor; read only when the executor is the stub.'),
  };
}

export class NightjarStack extends Stack {
  constructor(scope: Construct, id: string, deployment: Deployment) {
    super(scope, id, {
      description: `Nightjar, memory consolidation for agents (${deployment.environment})`,
      terminationProtection: deployment.protected,
      tags: { service: 'nightjar', environment: deployment.environment },
    });
    const parameters = addParameters(this);
    const storage = new Storage(this, 'Storage', deployment);
    const queues = new Queues(this, 'Queues');
    const compute = new Compute(this, 'Compute', { deployment, storage, queues, parameters });
    connectEdges(this, { storage, queues, functions: compute.functions });
    const { scheduler, eraser } = compute.functions;
    const deadLetterQueue = queues.tickDeadLetters;
    const sweeps = 'the scheduler to sweep and to admit';
    new Tick(this, 'Tick', { target: scheduler, purpose: sweeps, settings: TICK, deadLetterQueue });
    const erases = 'the eraser to go on with what is due';
    new Tick(this, 'EraserTick', { target: eraser, purpose: erases, settings: ERASE, deadLetterQueue });
    const api = new Api(this, 'Api', { deployment, functions: compute.functions });
    addDashboard(this, { deployment, storage, queues, functions: compute.functions, api: api.http });
    publishOutputs(this, { deployment, storage, queues, functions: compute.functions, api: api.http });
  }
}
