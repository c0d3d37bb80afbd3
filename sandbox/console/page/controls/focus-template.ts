import { store } from '../state/console-state.ts';
import { createSampleTemplate } from '../state/templates.ts';

/** The id of the template field of the form that sends a request. */
export const TEMPLATE_FIELD = 'send-template';

/** Shows the template field of the form that sends a request, and moves the focus to it. */
export const focusTemplate = async (): Promise<void> => {
  if (store.get().rules.length === 0 && (await createSampleTemplate()) === undefined) return;
  store.set({ pane: 'controls' });
  // The pane is rendered in the next frame.
  requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      const field = document.getElementById(TEMPLATE_FIELD);
      field?.closest('details')?.setAttribute('open', '');
      field?.focus();
    }),
  );
};
