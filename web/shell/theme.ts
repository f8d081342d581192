import { remembered } from '../state/remembered.ts';

export const theme = remembered('theme', ['system', 'light', 'dark'], 'system');
export const density = remembered('density', ['comfortable', 'compact'], 'comfortable');

/** Keeps the document in the chosen look. `theme.js` did so before the first paint. */
export function keepLook(): void {
  const { dataset } = document.documentElement;
  theme.subscribe(() => {
    dataset['theme'] = theme.get();
  });
  density.subscribe(() => {
    dataset['density'] = density.get();
  });
}
