/** Mutants of the plan of admissions: who goes first, how many, and what the others are told. */
import { planAdmissions } from '../../../functions/core/admission.ts';
import { drained } from './limit-mutants.ts';
import type { Mutant } from './mutant.ts';
import type { Plan } from '../plans/plan.ts';
import { fed } from './scope-move-mutants.ts';

/** Many ask in one scope, and there is room for some. */
const WIDE = { tokenThreshold: 1, batchTokens: 0, maxConcurrentPasses: 3, maxPassesPerScope: 3 };
const CROWDED = fed({ outliveTimeout: 1 }, WIDE);

/** Passes are long, and each time three more are asked for. */
const FULL = (plan: Plan): Plan => {
  const scene = fed({ executorSlow: 1 }, { ...WIDE, maxConcurrentPasses: 4, maxPassesPerScope: 2 })(plan);
  return { ...scene, requests: scene.requests.map((request) => ({ ...request, parallel: 3 })) };
};

type Planned = ReturnType<typeof planAdmissions>;
const planned = (change: (plan: Planned) => Planned): NonNullable<Mutant['decide']> => ({
  planAdmissions: (...given) => change(planAdmissions(...given)),
});

const untold = (gone: string) =>
  planned((plan) => ({
    ...plan,
    verdicts: plan.verdicts.map((it) => ({ ...it, refused: it.refused.filter(({ reason }) => reason !== gone) })),
  }));

const shortfallUntold = (reason: string, direct: NonNullable<Mutant['direct']>): Mutant => ({
  name: `shortfall untold: ${reason}`,
  replaces: `shortfallsOf leaves out ${reason}: fewer are admitted than were asked for, and nobody knows why`,
  caughtBy: ['a refusal is true'],
  within: 20,
  direct,
  decide: untold(reason),
});

export const PLAN_MUTANTS: readonly Mutant[] = [
  {
    name: 'one pass each, and no more',
    replaces: 'planAdmissions without its later rounds: places stay free, and a deep scope has one pass',
    caughtBy: ['no place stays free'],
    within: 20,
    // Who asks would be told less than the truth, and that is caught first.
    direct: (plan) => ({ ...CROWDED(plan), requests: [] }),
    decide: planned(({ verdicts }) => {
      const cut = verdicts.map((it) => ({ ...it, admitted: it.admitted.slice(0, 1) }));
      return { verdicts: cut, admitted: cut.flatMap(({ admitted }) => admitted) };
    }),
  },
  {
    name: 'youngest first',
    replaces: 'planAdmissions by due time, the latest before the others',
    caughtBy: ['who waits longest goes first'],
    within: 50,
    direct: (plan) =>
      CROWDED({ ...plan, scopes: ['a', 'b', 'c'], deployment: { ...plan.deployment, pools: 1, mistake: undefined } }),
    decide: {
      planAdmissions: ({ candidates, ...snapshot }, ...given) => {
        const turned = candidates.map((it) => ({ ...it, dueAtMs: -it.dueAtMs }));
        const plan = planAdmissions({ ...snapshot, candidates: turned }, ...given);
        const back = <T extends { readonly candidate: (typeof candidates)[number] }>(it: T): T => ({
          ...it,
          candidate: candidates.find(({ scope }) => scope === it.candidate.scope) ?? it.candidate,
        });
        const verdicts = plan.verdicts.map((it) => ({ ...back(it), admitted: it.admitted.map(back) }));
        return { verdicts, admitted: verdicts.flatMap(({ admitted }) => admitted) };
      },
    },
  },
  shortfallUntold('capacity', CROWDED),
  shortfallUntold('scope_full', FULL),
  shortfallUntold('budget', drained),
];
