/**
 * The ticks: EventBridge Scheduler invokes the scheduler once a minute, and the eraser every few minutes. A tick carries
 * the time it was meant for, so that the sweep can leave out one that comes later than its period.
 */
import { Stack } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { CfnSchedule } from 'aws-cdk-lib/aws-scheduler';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { ERASE, TICK } from '../schema/edges.ts';
import { TICK_INPUT } from '../schema/messages.ts';

export interface TickProps {
  readonly target: IFunction;
  /** What the tick is for; completes "Wakes …". */
  readonly purpose: string;
  readonly settings: Pick<typeof TICK | typeof ERASE, 'rateMinutes' | 'maxEventAgeS' | 'retries'>;
  readonly deadLetterQueue: IQueue;
}

export class Tick extends Construct {
  constructor(scope: Construct, id: string, { target, purpose, settings, deadLetterQueue }: TickProps) {
    super(scope, id);
    const role = new Role(this, 'Role', {
      description: 'What the tick of a function may do',
      assumedBy: new ServicePrincipal('scheduler.amazonaws.com', {
        conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } },
      }),
    });
    role.addToPolicy(new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [target.functionArn] }));
    role.addToPolicy(new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [deadLetterQueue.queueArn] }));
    const unit = settings.rateMinutes === 1 ? 'minute' : 'minutes';
    const schedule = new CfnSchedule(this, 'Schedule', {
      description: `Wakes ${purpose}`,
      scheduleExpression: `rate(${settings.rateMinutes} ${unit})`,
      flexibleTimeWindow: { mode: 'OFF' },
      target: {
        arn: target.functionArn,
        roleArn: role.roleArn,
        input: JSON.stringify(TICK_INPUT),
        retryPolicy: { maximumEventAgeInSeconds: settings.maxEventAgeS, maximumRetryAttempts: settings.retries },
        deadLetterConfig: { arn: deadLetterQueue.queueArn },
      },
    });
    // Without its policy the first ticks of a new stack would be refused.
    schedule.node.addDependency(role);
  }
}
