/** Why a pass was asked for. `continuation` is the finalizer's own request: it counts as scheduled (design section 7). */
export const ORIGINS = ['trigger', 'drain', 'schedule', 'continuation'] as const;
export type Origin = (typeof ORIGINS)[number];
