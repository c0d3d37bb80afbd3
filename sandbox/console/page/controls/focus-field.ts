import { showPane, store } from '../state/console-state.ts';
import { createSampleTemplate } from '../state/templates.ts';

/** The id of the template field of the form that sends a request. */
export const TEMPLATE_FIELD = 'send-template';

/** The id of its text field. */
export const TEXT_FIELD = 'send-text';

/** Shows the template field of the form that sends a request, and moves the focus to it. */
export const focusTemplate = async (): Promise<void> => {
  if (store.get().rules.length === 0 && (await createSampleTemplate()) === undefined) return;
  focusField(TEMPLATE_FIELD);
};

/** Shows a field of the form that sends a request, and moves the focus to it. */
export const focusField = (id: string): void => {
  showPane('controls');
  // The pane is rendered in the next frame.
  requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      const field = document.getElementById(id);
      field?.closest('details')?.setAttribute('open', '');
      field?.focus();
    }),
  );
};
