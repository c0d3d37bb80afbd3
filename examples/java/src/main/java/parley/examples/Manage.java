package parley.examples;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import parley.examples.ManagementApi.ManagementApiException;

/**
 * Records an opt-in, queues a request through the management API, and waits until it has ended.
 *
 * <pre>
 * java -cp "target/classes:target/libraries/*" parley.examples.Manage +5491150000001 welcome-1042 "Welcome!"
 * </pre>
 *
 * <p>Needs MANAGEMENT_URL, and in an account the permission execute-api:Invoke on these routes:
 * {@code docs/policies/internal-system.json} is an example. Set it up as in {@link Send}.
 *
 * <p>Running this twice sends one message. To be notified instead of polling, receive the events; see {@link Consume}.
 */
public final class Manage {
  private static final Set<String> PENDING_STATES = Set.of("queued", "claimed", "waiting");
  private static final Duration WAIT = Duration.ofSeconds(30);

  private Manage() {}

  public static void main(String[] args) throws IOException, InterruptedException {
    var url = System.getenv("MANAGEMENT_URL");
    if (args.length != 3 || url == null) {
      System.err.println("Usage: MANAGEMENT_URL=… Manage CONTACT REQUEST_ID TEXT");
      System.exit(2);
    }
    var contact = args[0];
    var request = new SendRequest(args[1], contact, args[2], "order_shipped", null, "shipping-status");

    try (var api = new ManagementApi(url)) {
      api.post(
          "/v1/opt-ins", Map.of("platformContactId", contact, "origin", "user", "source", "registration form"));
      var stored = api.get("/v1/contacts/" + ManagementApi.encode(contact));
      System.out.printf(
          "%s: %s, window %s%n",
          contact,
          stored.at("/consent/state").asText(),
          stored.at("/window/open").asBoolean() ? "open" : "closed");

      api.post("/v1/sends", request);
      var send = waitFor(api, request.requestId());
      System.out.printf(
          "%s: %s. %s%n", request.requestId(), send.get("state").asText(), send.path("decision").asText(""));
    } catch (ManagementApiException e) {
      // For example 409: the ID was used for a request with another body.
      System.err.println("The call failed. " + e.getMessage());
      System.exit(1);
    }
  }

  /** Waits for the send to end, for up to half a minute, and returns it. */
  private static JsonNode waitFor(ManagementApi api, String requestId) throws IOException, InterruptedException {
    var deadline = Instant.now().plus(WAIT);
    while (true) {
      var send = api.get("/v1/sends/" + ManagementApi.encode(requestId));
      if (!PENDING_STATES.contains(send.get("state").asText()) || Instant.now().isAfter(deadline)) {
        return send;
      }
      Thread.sleep(500);
    }
  }
}
