/** The exports for other CDK apps: all of Parley as a stack, or its parts as constructs. */
export { DeadLetteredQueue, DeadLetterQueue } from './constructs/dead-lettered-queue.ts';
export type { ExistingResources } from './constructs/existing-resources.ts';
export { ParleyManagement, type ParleyManagementProps } from './constructs/management.ts';
export { ParleyMonitoring, type ParleyMonitoringProps } from './constructs/monitoring.ts';
export { ParleyPublisher, type ParleyPublisherProps } from './constructs/publisher.ts';
export { ParleyReceiver, type ParleyReceiverProps } from './constructs/receiver.ts';
export { ParleySender, type ParleySenderProps } from './constructs/sender.ts';
export { ParleyTable, type ParleyTableProps } from './constructs/table.ts';
export { ParleyStack, type ParleyStackProps } from './parley-stack.ts';
export type { EventTarget } from './settings/event-target.ts';
export { readStageSettings, type SettingsContext, type Stage } from './settings/read-stage-settings.ts';
export { SettingsError } from './settings/settings-faults.ts';
export { stageFromContext } from './settings/stage-from-context.ts';
export type { StageSettings, StageSettingsInput } from './settings/stage-settings.ts';
