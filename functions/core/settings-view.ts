/** Settings as answers show them: each with its value, where it comes from, and what else it may be. */
import {
  DEPLOYMENT_SETTING_NAMES,
  type EffectiveSetting,
  effectiveSettings,
  SETTING_NAMES,
  SETTING_RANGES,
  type SettingName,
  type SettingOverrides,
} from '../../schema/settings.ts';

export interface ShownSetting extends EffectiveSetting {
  readonly min: number;
  readonly max: number;
  /** Counted over all scopes: no scope can set it. */
  readonly deploymentOnly?: true;
}

export type ShownSettings = Readonly<Record<SettingName, ShownSetting>>;

export interface SettingLayers {
  readonly deployment: SettingOverrides;
  readonly live: SettingOverrides;
  readonly scope: SettingOverrides;
}

export function showSettings({ deployment, live, scope }: SettingLayers): ShownSettings {
  const effective = effectiveSettings(deployment, scope, live);
  return Object.fromEntries(
    SETTING_NAMES.map((name) => {
      const { min, max } = SETTING_RANGES[name];
      const wide = DEPLOYMENT_SETTING_NAMES.includes(name);
      return [name, { ...effective[name], min, max, ...(wide && { deploymentOnly: true }) }];
    }),
  ) as Record<SettingName, ShownSetting>;
}
